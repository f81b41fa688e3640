"use strict";
// Draws a report from the JSON in the page. Sections: data, quantities, tables, charts, items, page.
(() => {
const report = JSON.parse(document.getElementById("data").textContent);
const items = report.study.report || [];
const hidden = new Set();      // labels of devices that the filter has switched off
let charts = [];

// ---- data

const deviceOf = row => report.devices[row.device];
const asList = value => value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
const text = value => typeof value === "string" ? value : JSON.stringify(value);

function selected(selector, row) {
  const has = (key, value) => !selector[key] || asList(selector[key]).includes(value);
  const info = deviceOf(row).info;
  return has("case", row.case) && has("variant", row.way) && has("device", deviceOf(row).label) && has("backend", info.backend) && has("type", info.type) &&
    Object.entries(selector.grid || {}).every(([axis, value]) => row.grid[axis] === value);
}

const rowsOf = item => report.rows.filter(row =>
  (!item.cases || asList(item.cases).includes(row.case)) && (!item.where || selected(item.where, row)));
const shown = rows => rows.filter(row => !hidden.has(deviceOf(row).label));
// What the engine chose where a study lets it choose.
const wayOf = row => row.way === "chosen" && row.variant ? row.variant : row.way;
const gridText = grid => Object.entries(grid).map(([axis, value]) => `${axis} ${text(value)}`).join(", ");

// ---- quantities

// A key of a list means that key of each of its elements.
const path = (object, keys) => keys.reduce((at, key) => at === undefined || at === null ? undefined : Array.isArray(at) ? at.map(one => one[key]) : at[key], object);

function baselineOf(item, row) {
  return report.rows.find(other => other.case === row.case && JSON.stringify(other.grid) === JSON.stringify(row.grid) && selected(item.baseline, other));
}

const speedUps = { speed_up: "compute_ms", speed_up_wall: "wall_ms", speed_up_end_to_end: "end_to_end_ms" };

function factor(row, name, item) {
  if (name === "variant") return row.way;
  if (name === "device") return deviceOf(row).label;
  if (name === "case") return row.case;
  if (name === "backend") return deviceOf(row).info.backend;
  if (name === "grid") return gridText(row.grid) || "-";
  if (name in row.grid) return row.grid[name];
  if (name in speedUps) {
    const base = item.baseline && baselineOf(item, row);
    const of = base && (base.metrics[speedUps[name]] ?? base.metrics.compute_ms), own = row.metrics[speedUps[name]] ?? row.metrics.compute_ms;
    return of && own ? of / own : undefined;
  }
  if (row.variables && name in row.variables) return row.variables[name];
  if (row.metrics && name in row.metrics) return row.metrics[name];
  const [kind, ...keys] = name.split(".");
  if (kind === "grid") return path(row.grid, keys);
  if (kind === "rates") return path(report.sessions[row.session].rates[deviceOf(row).label], keys);
  if (kind === "stage") { const stage = row.stages[keys.join(".")]; return stage && stage.median * 1e3; }
  if (kind === "evaluation") return path(row.evaluations, keys);
  if (kind === "record") return path(row.records, keys);
  return undefined;
}

// "rates.peak_gflops*rates.copy_gbs^0.38" is a product of powers; anything else is one quantity.
function quantity(row, name, item) {
  if (row.outcome !== "ok" && !["variant", "device", "case", "backend", "grid"].includes(name) && !(name in row.grid)) return undefined;
  if (!/[*^]/.test(name)) return factor(row, name, item);
  let product = 1;
  for (const part of name.split("*")) {
    const [one, power] = part.split("^");
    const value = factor(row, one, item);
    if (typeof value !== "number") return undefined;
    product *= Math.pow(value, power === undefined ? 1 : Number(power));
  }
  return product;
}

const names = {
  compute_ms: "time of the device, ms", device_ms: "time of the kernels, ms", wall_ms: "time from first launch to end, ms", end_to_end_ms: "from host memory to host memory, ms",
  host_ms: "host", upload_ms: "upload", download_ms: "download", run_ms: "run", speed_up: "speed-up", speed_up_end_to_end: "speed-up, end to end", speed_up_wall: "speed-up, wall clock",
  copy_share: "share of copy bandwidth", bandwidth_gbs: "GB/s", runs_a_second: "runs a second", latency_p99_ms: "99th percentile, ms", first_compile_ms: "first compilation, ms",
  compile_cold_ms: "compilation, empty caches, ms", compile_cached_ms: "compilation, from cache, ms", memory_mb: "device memory, MB", memory_left_mb: "memory left, MB",
  sustained_runs_a_second: "sustained runs a second", sustained_p99_ms: "sustained 99th percentile, ms", variant: "variant", device: "device",
};

function nameOf(name, rows) {
  if (name === "rate" || name === "rate_end_to_end") return (rows[0] && rows[0].work.unit || "rate") + (name === "rate" ? "" : ", end to end");
  if (name === "device_ms" || name === "compute_ms") return names[name];
  return names[name] || name.replace(/^(rates|evaluation|record|grid|stage)\./, "").replace(/^(counts|quality)\./, "").replace(/_/g, " ");
}

function number(value) {
  if (value === undefined || value === null) return "";
  if (typeof value !== "number") return text(value);
  if (!isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e7 || size < 1e-3)) return value.toExponential(2);
  if (Number.isInteger(value)) return String(value);
  return size >= 1000 ? value.toFixed(0) : value.toPrecision(size >= 100 ? 4 : 3);
}

// ---- elements

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) key === "class" ? made.className = value : made.setAttribute(key, value);
  for (const child of children) if (child !== null && child !== undefined) made.append(child);
  return made;
}

function table(header, rows, leading = 1) {
  const cell = (content, i, tag) => {
    const plain = content === null || typeof content !== "object";
    const made = element(tag, { class: (i < leading ? "name " : "") + (plain ? "" : content.class || "") }, plain ? (content === undefined ? "" : String(content)) : content.text);
    if (!plain && content.title) made.title = content.title;
    return made;
  };
  return element("div", { class: "scroll" }, element("table", {},
    element("thead", {}, element("tr", {}, ...header.map((content, i) => cell(content, i, "th")))),
    element("tbody", {}, ...rows.map(row => element("tr", {}, ...row.map((content, i) => cell(content, i, "td")))))));
}

// ---- charts

const palettes = {
  light: ["#1a6fb0", "#d1495b", "#2e8b57", "#b8860b", "#6a4c93", "#e07a1f", "#00838f", "#8d5a3b", "#c2478f", "#5b6770"],
  dark: ["#6bb5ee", "#ff8fa0", "#74d39c", "#f0c75e", "#bfa2f0", "#ffb066", "#5fd4df", "#d9a583", "#f59ad1", "#b3bfc7"],
};
const dashes = [[], [7, 4], [2, 3], [10, 3, 2, 3], [5, 2, 1, 2, 1, 2]];
const points = ["circle", "rectRot", "triangle", "rect", "star", "crossRot"];
const theme = () => document.documentElement.dataset.theme;
const colour = variable => getComputedStyle(document.documentElement).getPropertyValue(variable).trim();

function look() {
  const text = colour("--text"), line = colour("--line"), soft = colour("--soft");
  Chart.defaults.font.family = 'system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif';
  Chart.defaults.font.size = 12;
  Chart.defaults.color = text;
  Chart.defaults.borderColor = line;
  Chart.defaults.animation = false;
  Chart.defaults.maintainAspectRatio = false;
  return { text, line, soft, palette: palettes[theme()] || palettes.light };
}

// 95% intervals as whiskers, and lines at given values.
const whiskers = {
  id: "whiskers",
  afterDatasetsDraw(chart) {
    const context = chart.ctx, sideways = chart.options.indexAxis === "y";
    chart.data.datasets.forEach((set, s) => {
      if (!set.intervals || !chart.isDatasetVisible(s)) return;
      context.save();
      context.strokeStyle = set.borderColor;
      context.lineWidth = 1.5;
      chart.getDatasetMeta(s).data.forEach((point, i) => {
        const interval = set.intervals[i];
        if (!interval) return;
        const scale = sideways ? chart.scales.x : chart.scales.y;
        const [a, b] = interval.map(value => scale.getPixelForValue(value));
        context.beginPath();
        if (sideways) { context.moveTo(a, point.y); context.lineTo(b, point.y); } else { context.moveTo(point.x, a); context.lineTo(point.x, b); }
        context.stroke();
      });
      context.restore();
    });
  },
};
const marks = {
  id: "marks",
  beforeDatasetsDraw(chart) {
    for (const mark of chart.options.marks || []) {
      const x = chart.scales.x.getPixelForValue(mark.value), area = chart.chartArea;
      chart.ctx.save();
      chart.ctx.strokeStyle = mark.colour;
      chart.ctx.setLineDash(mark.dash || []);
      chart.ctx.beginPath(); chart.ctx.moveTo(x, area.top); chart.ctx.lineTo(x, area.bottom); chart.ctx.stroke();
      chart.ctx.restore();
    }
  },
};

function draw(parent, label, height, build) {
  const canvas = element("canvas", { role: "img", "aria-label": label });
  const box = element("div", { class: "figure", style: `height: ${height}px` }, canvas);
  parent.append(box);
  charts.push({ canvas, build, chart: null });
}

function render() {
  const style = look();
  for (const one of charts) {
    if (one.chart) one.chart.destroy();
    one.chart = new Chart(one.canvas, one.build(style));
  }
}

const tick = value => String(Number(value.toPrecision(3)));

// Powers of ten and their 2 and 5 only: the library labels too many.
const logTicks = { callback: value => { const digit = value / Math.pow(10, Math.floor(Math.log10(value) + 1e-9)); return [1, 2, 5].includes(Math.round(digit * 1e6) / 1e6) ? tick(value) : ""; } };
const axis = (title, log, style) => ({ type: log ? "logarithmic" : "linear", title: { display: true, text: title, color: style.soft }, grid: { color: style.line }, ticks: log ? logTicks : {} });

// Datasets of rows that share the item's series.
function seriesOf(rows, item) {
  const keys = asList(item.series).length ? asList(item.series) : ["variant", "device"];
  const groups = new Map();
  for (const row of rows) {
    const label = keys.map(key => text(quantity(row, key, item) ?? "-")).join(" · ");
    if (!groups.has(label)) groups.set(label, []);
    groups.get(label).push(row);
  }
  return groups;
}

// One colour a variant (or whatever comes first), one dash and point a device, the same in every figure.
const ways = [...new Set(report.rows.map(row => row.way))], labels = report.devices.map(device => device.label);
function paint(rows, item, style) {
  const keys = asList(item.series).length ? asList(item.series) : ["variant", "device"];
  const devices = labels.indexOf(deviceOf(rows[0]).label), way = ways.indexOf(rows[0].way);
  const byVariant = keys.includes("variant");
  const main = style.palette[(byVariant ? way : devices) % style.palette.length];
  const other = byVariant && keys.includes("device") ? devices : 0;
  return { borderColor: main, backgroundColor: main, borderDash: dashes[other % dashes.length], pointStyle: points[other % points.length], borderWidth: 2, pointRadius: 4, pointHoverRadius: 6 };
}

const intervalOf = (row, name) => {
  const time = row.times && row.times[name === "compute_ms" ? (row.times.device ? "device" : "wall") : name.replace(/_ms$/, "")];
  return /_ms$/.test(name) && time ? [time.low * 1e3, time.high * 1e3] : null;
};

const paperSets = (item, style) => (item.paper && item.paper.series || []).map((one, i) => ({
  label: "paper: " + one.label, data: one.points.map(([x, y]) => ({ x, y })), showLine: one.points.length > 1, borderColor: style.text, backgroundColor: style.text,
  borderWidth: 1, borderDash: [3, 3], pointStyle: points[(i + 3) % points.length], pointRadius: 7, pointBorderWidth: 1.5,
}));

const legend = style => ({ position: "bottom", labels: { usePointStyle: true, boxWidth: 24, boxHeight: 6, color: style.text, padding: 10 } });

function lineChart(item, rows) {
  return style => {
    const numeric = rows.every(row => typeof quantity(row, item.x, item) === "number");
    const order = [...new Set(rows.map(row => text(row.grid[item.x] ?? quantity(row, item.x, item))))];
    const sets = [...seriesOf(shown(rows), item)].map(([label, group]) => {
      const good = group.filter(row => typeof quantity(row, item.y, item) === "number");
      if (!good.length) return null;
      const x = row => numeric ? quantity(row, item.x, item) : text(quantity(row, item.x, item));
      return { label, ...paint(good, item, style), data: good.map(row => ({ x: x(row), y: quantity(row, item.y, item) })), intervals: good.map(row => intervalOf(row, item.y)) };
    }).filter(Boolean);
    const paper = paperSets(item, style).map(set => numeric ? set : { ...set, data: set.data.map(point => ({ ...point, x: text(point.x) })) });
    const log = item.log || "";
    const x = numeric ? axis(nameOf(item.x, rows), log.includes("x"), style) : { type: "category", labels: order, title: { display: true, text: nameOf(item.x, rows), color: style.soft }, grid: { color: style.line } };
    if (numeric) {   // the grid's own values are the ticks
      const values = [...new Set([...rows.map(row => quantity(row, item.x, item)), ...paper.flatMap(set => set.data.map(point => point.x))])].sort((a, b) => a - b);
      x.afterBuildTicks = scale => { if (values.length <= 16) scale.ticks = values.map(value => ({ value })); };
      x.ticks = { callback: value => String(value), autoSkip: true };
    }
    return { type: "line", data: { datasets: [...sets, ...paper] },
      options: { interaction: { mode: "nearest", intersect: false }, scales: { x, y: axis(nameOf(item.y, rows), log.includes("y"), style) },
        plugins: { legend: legend(style), tooltip: { callbacks: { label: at => `${at.dataset.label}: ${number(at.parsed.y)}` } } } }, plugins: [whiskers] };
  };
}

function barChart(item, rows) {
  return style => {
    const order = [...new Set(rows.map(row => text(quantity(row, item.x, item))))];
    const sets = [...seriesOf(shown(rows), item)].map(([label, group]) => {
      const last = new Map(group.filter(row => typeof quantity(row, item.y, item) === "number").map(row => [text(quantity(row, item.x, item)), row]));
      if (!last.size) return null;
      const rowsInOrder = order.map(x => last.get(x));
      return { label, ...paint(group, item, style), borderWidth: 0, data: rowsInOrder.map(row => row ? quantity(row, item.y, item) : null), intervals: rowsInOrder.map(row => row && intervalOf(row, item.y)) };
    }).filter(Boolean);
    const log = item.log || "";
    return { type: "bar", data: { labels: order, datasets: sets },
      options: { skipNull: true, scales: { x: { grid: { display: false } }, y: axis(nameOf(item.y, rows), log.includes("y"), style) }, plugins: { legend: legend(style), tooltip: { callbacks: { label: at => `${at.dataset.label}: ${number(at.parsed.y)}` } } } }, plugins: [whiskers] };
  };
}

function scatterChart(item, rows) {
  return style => {
    const sets = [...seriesOf(shown(rows), item)].map(([label, group]) => {
      const good = group.filter(row => [item.x, item.y].every(name => typeof quantity(row, name, item) === "number"));
      return good.length ? { label, ...paint(good, item, style), showLine: false, pointRadius: 6, data: good.map(row => ({ x: quantity(row, item.x, item), y: quantity(row, item.y, item) })) } : null;
    }).filter(Boolean);
    const all = sets.flatMap(set => set.data);
    if (item.rule === "proportional" && all.length > 1) {   // y = k x through the middle of all points
      const k = Math.exp(all.reduce((sum, point) => sum + Math.log(point.y / point.x), 0) / all.length), xs = all.map(point => point.x);
      sets.push({ label: "proportional", data: [Math.min(...xs), Math.max(...xs)].map(x => ({ x, y: k * x })), showLine: true, pointRadius: 0, borderColor: style.soft, borderDash: [4, 4], borderWidth: 1.5 });
    }
    const log = item.log || "";
    return { type: "scatter", data: { datasets: sets }, options: { scales: { x: axis(nameOf(item.x, rows), log.includes("x"), style), y: axis(nameOf(item.y, rows), log.includes("y"), style) },
      plugins: { legend: legend(style), tooltip: { callbacks: { label: at => `${at.dataset.label}: ${number(at.parsed.x)}, ${number(at.parsed.y)}` } } } } };
  };
}

// Lists within one row against each other: boxes by their edge. The rule names a record with a fitted range, whose line is drawn.
function curveChart(item, rows) {
  return style => {
    const lists = row => { const all = item.y.split("+").map(name => factor(row, name, item)); return all.every(Array.isArray) ? all[0].map((_, i) => all.reduce((sum, list) => sum + list[i], 0)) : null; };
    const sets = [];
    let i = 0;
    for (const [label, group] of seriesOf(shown(rows), item)) {
      const row = group[0], x = factor(row, item.x, item), y = lists(row);
      if (!Array.isArray(x) || !y) continue;
      const main = style.palette[i % style.palette.length], form = points[Math.floor(i++ / style.palette.length) % points.length];
      sets.push({ label, data: x.map((at, k) => ({ x: at, y: y[k] })).filter(point => point.y > 0), showLine: false, borderColor: main, backgroundColor: main, pointStyle: form, pointRadius: 5 });
      const record = item.rule && path(row, ["records", ...item.rule.split(".").slice(1)]), fit = record && record.fit;
      if (fit) {
        const from = fit.from, to = fit.to, middle = { x: 0, y: 0 };
        for (let m = from; m <= to; ++m) { middle.x += Math.log(x[m]) / (to - from + 1); middle.y += Math.log(y[m]) / (to - from + 1); }
        sets.push({ label: "", data: [x[from], x[to]].map(at => ({ x: at, y: Math.exp(middle.y - record.dimension * (Math.log(at) - middle.x)) })), showLine: true, pointRadius: 0, borderColor: main, borderWidth: 1.5 });
      }
    }
    const log = item.log || "", legends = legend(style);
    legends.labels.filter = entry => entry.text !== "";
    return { type: "scatter", data: { datasets: sets }, options: { scales: { x: axis(nameOf(item.x.split(".").pop(), rows), log.includes("x"), style), y: axis("boxes", log.includes("y"), style) }, plugins: { legend: legends } } };
  };
}

// Rows of the last grid point of each case.
function lastRows(rows) {
  const last = new Map();
  for (const row of rows) if (row.outcome === "ok") last.set(row.case, JSON.stringify(row.grid));
  return rows.filter(row => row.outcome === "ok" && last.get(row.case) === JSON.stringify(row.grid));
}

function partsOf(item, row) {
  if (asList(item.values).length) return Object.fromEntries(asList(item.values).map(name => [(names[name] || name).replace(/, ms$/, "").replace("time of the kernels", "device"), quantity(row, name, item)]).filter(([, value]) => typeof value === "number"));
  return Object.fromEntries(Object.entries(row.stages || {}).map(([name, stage]) => [name, stage.median * 1e3]));
}

function stagesChart(item, rows) {
  return style => {
    const chosen = shown(rows), several = new Set(chosen.map(row => row.case)).size > 1;
    const labels = chosen.map(row => `${several ? row.case + ": " : ""}${wayOf(row)} · ${deviceOf(row).label}`);
    const parts = chosen.map(row => partsOf(item, row)), total = parts.map(part => Object.values(part).reduce((a, b) => a + b, 0));
    const stages = [...new Set(parts.flatMap(part => Object.keys(part)))];
    const sets = stages.map((stage, i) => ({ label: stage, data: parts.map((part, r) => part[stage] === undefined ? null : 100 * part[stage] / total[r]), backgroundColor: style.palette[i % style.palette.length], stack: "all" }));
    return { type: "bar", data: { labels, datasets: sets }, options: { indexAxis: "y", scales: { x: { stacked: true, max: 100, title: { display: true, text: "share of the time, %", color: style.soft }, grid: { color: style.line } }, y: { stacked: true, grid: { display: false } } },
      plugins: { legend: legend(style), tooltip: { callbacks: { label: at => `${at.dataset.label}: ${number(parts[at.dataIndex][at.dataset.label])} ms, ${number(at.parsed.x)}%` } } } } };
  };
}

const pairName = pair => [pair.case, gridText(pair.grid), pair.way === pair.to_way ? pair.way : `${pair.way} / ${pair.to_way}`, pair.stage].filter(Boolean).join(" · ");

function pairsChart(pairs) {
  const least = Math.min(0.95, ...pairs.map(pair => pair.low)) * 0.98, most = Math.max(1.05, ...pairs.map(pair => pair.high)) * 1.02;
  return style => ({
    type: "line",
    data: { labels: pairs.map(pairName), datasets: [{ label: "ratio", showLine: false, data: pairs.map(pair => pair.ratio), intervals: pairs.map(pair => [pair.low, pair.high]), pointRadius: 4, borderColor: style.palette[0],
      backgroundColor: pairs.map(pair => pair.verdict === "same" ? style.soft : pair.verdict === "faster" ? style.palette[2] : style.palette[1]), pointBorderWidth: 0 }] },
    options: { indexAxis: "y", marks: [{ value: 1, colour: style.text }, { value: 0.98, colour: style.soft, dash: [3, 3] }, { value: 1.02, colour: style.soft, dash: [3, 3] }],
      scales: { x: { type: "logarithmic", title: { display: true, text: "ratio of times, 95% interval; dashed: 2%", color: style.soft }, grid: { color: style.line }, ticks: { callback: tick, maxTicksLimit: 12 }, min: least, max: most },
        y: { grid: { color: style.line }, ticks: { autoSkip: false, font: { size: 11 } } } },
      plugins: { legend: { display: false }, tooltip: { callbacks: { label: at => `${number(pairs[at.dataIndex].ratio)} [${number(pairs[at.dataIndex].low)}, ${number(pairs[at.dataIndex].high)}]` } } } },
    plugins: [whiskers, marks],
  });
}

// ---- items

function addPaper(parent, item) {
  const paper = item.paper;
  if (!paper) return;
  const box = element("div", { class: "paper" }, element("div", { class: "small soft" }, "The paper: " + paper.source));
  if (paper.header) box.append(table(paper.header, paper.rows || []));
  if (paper.series && !paper.header) box.append(table(["", "at", "value"], paper.series.flatMap(one => one.points.map(([x, y]) => [one.label, number(x), number(y)]))));
  if (paper.note) box.append(element("p", { class: "small" }, paper.note));
  parent.append(box);
}

const why = row => ({ text: row.outcome === "ok" ? "" : row.outcome, class: ["refused", "too long"].includes(row.outcome) ? "none" : row.outcome === "ok" ? "" : "bad", title: row.reason || "" });

function addTable(parent, item, rows) {
  const across = asList(item.columns).length ? asList(item.columns) : ["grid"], down = asList(item.rows).length ? asList(item.rows) : ["variant", "device"];
  const values = asList(item.values).length ? asList(item.values) : ["compute_ms"];
  const cases = [...new Set(rows.map(row => row.case))];
  for (const id of down.includes("case") || across.includes("case") ? [null] : cases) {
    const part = shown(rows.filter(row => id === null || row.case === id));
    if (!part.length) continue;
    if (id !== null && cases.length > 1) parent.append(element("h3", {}, id));
    if (across[0] === "values") {
      const first = row => text(quantity(row, down[0], item) ?? "-"), order = [...new Set(part.map(first))];   // together, whichever report a row is of
      const together = [...part].sort((a, b) => order.indexOf(first(a)) - order.indexOf(first(b)));
      const lines = new Map(together.map(row => [down.map(name => text(quantity(row, name, item) ?? "-")).join(" · "), row]));
      parent.append(table([...down, ...values.map(value => nameOf(value, part))], [...lines].map(([line, row]) => [...line.split(" · "), ...values.map(value => row.outcome === "ok" ? number(quantity(row, value, item)) : why(row))]), down.length));
      continue;
    }
    for (const value of values) {
      if (values.length > 1) parent.append(element("h3", {}, nameOf(value, part)));
      const key = (row, keys) => keys.map(name => text(quantity(row, name, item) ?? "-")).join(" · ");
      const columns = [...new Set(part.map(row => key(row, across)))], lines = [...new Set(part.map(row => key(row, down)))];
      const cells = new Map(part.map(row => [key(row, down) + "\n" + key(row, across), row]));
      const smaller = /_ms$/.test(value), ranked = smaller || /^(rate|speed_up|copy_share|runs_a_second|sustained_runs|memory_left)/.test(value);
      const best = new Map(columns.map(column => {
        const all = lines.map(line => cells.get(line + "\n" + column)).filter(Boolean).map(row => quantity(row, value, item)).filter(v => typeof v === "number");
        return [column, ranked && all.length > 1 ? (smaller ? Math.min(...all) : Math.max(...all)) : NaN];
      }));
      const body = lines.map(line => [...line.split(" · "), ...columns.map(column => {
        const row = cells.get(line + "\n" + column);
        if (!row) return "";
        const found = quantity(row, value, item);
        if (found === undefined || found === null) return why(row);
        const interval = intervalOf(row, value);
        return { text: number(found), class: found === best.get(column) ? "best" : "", title: interval ? `95% interval ${number(interval[0])} to ${number(interval[1])}` : "" };
      })]).filter(line => line.slice(down.length).some(cell => cell !== "" && cell.text !== ""));
      const unit = values.length === 1 ? nameOf(value, part) : "";
      parent.append(table([...down.map((name, i) => i === 0 && unit ? `${name} (${unit})` : name), ...columns.map(column => across.length === 1 && !["grid", "case", "variant", "device"].includes(across[0]) ? `${across[0]} ${column}` : column)], body, down.length));
    }
  }
}

function addPairs(parent, item) {
  const found = report.pairs.find(pairs => pairs.title === item.title);
  const visible = (found ? found.rows : []).filter(pair => { const row = report.rows.find(one => one.id === pair.of); return !row || !hidden.has(deviceOf(row).label); });
  const whole = visible.filter(pair => !pair.stage), stages = visible.filter(pair => pair.stage);
  if (!visible.length) {
    parent.append(element("p", { class: "soft" }, "No two rows of this report make a pair: it takes devices of both kinds."));
    return;
  }
  if (whole.length) draw(parent, item.title, 90 + 20 * whole.length, pairsChart(whole));
  const verdict = pair => ({ text: pair.verdict, class: pair.verdict === "faster" ? "good" : pair.verdict === "slower" ? "bad" : "" });
  const lines = pairs => pairs.map(pair => [pairName(pair), number(pair.of_ms), number(pair.to_ms), pair.ratio.toFixed(3), `${pair.low.toFixed(3)} to ${pair.high.toFixed(3)}`, verdict(pair)]);
  const header = ["", "ms", "against, ms", "ratio", "95% interval", ""];
  parent.append(element("details", {}, element("summary", {}, `${whole.length} pairs as a table`), table(header, lines(whole))));
  if (stages.length) parent.append(element("details", {}, element("summary", {}, `${stages.length} kernels within them`), table(header, lines(stages))));
}

function pixelsOf(picture) {
  const bytes = atob(picture.pixels), image = new ImageData(picture.width, picture.height);
  for (let i = 0; i < bytes.length; ++i) { const grey = bytes.charCodeAt(i); image.data.set([grey, grey, grey, 255], 4 * i); }
  return image;
}

function pictureCanvas(picture, crop, width) {
  const whole = element("canvas", { width: picture.width, height: picture.height });
  whole.getContext("2d").putImageData(pixelsOf(picture), 0, 0);
  const [x, y, w, h] = crop || [0, 0, picture.width, picture.height];
  const made = element("canvas", { width, height: Math.round(width * h / w), role: "img", "aria-label": "picture" }), context = made.getContext("2d");
  context.imageSmoothingEnabled = !crop;
  context.drawImage(whole, x, y, w, h, 0, 0, made.width, made.height);
  return made;
}

function addImages(parent, item, rows) {
  const chosen = lastRows(shown(rows)).filter(row => row.pictures && Object.keys(row.pictures).length), seen = new Set(), list = [];
  for (const row of chosen) for (const [name, picture] of Object.entries(row.pictures)) {
    if (item.image && !asList(item.image).includes(name)) continue;
    const same = picture.pixels;      // inputs and equal results are shown once
    if (seen.has(same)) continue;
    seen.add(same);
    list.push({ label: `${name}: ${row.case} · ${row.way} · ${deviceOf(row).label}`, picture, row });
  }
  const strip = element("div", { class: "pictures" });
  for (const { label, picture } of list) {
    const figure = element("figure", {}, pictureCanvas(picture, null, 256));
    const crop = item.crop && item.crop[0] + item.crop[2] <= picture.width && item.crop[1] + item.crop[3] <= picture.height ? item.crop : null;
    if (crop) figure.append(pictureCanvas(picture, crop, 256));
    figure.append(element("figcaption", {}, label));
    strip.append(figure);
  }
  parent.append(strip);
  if (item.profile === undefined || !list.length) return;
  draw(parent, item.title + ": profiles", 300, style => {
    const sets = list.map(({ label, picture }, i) => {
      const y = Math.min(item.profile, picture.height - 1), bytes = atob(picture.pixels), data = [];
      for (let x = 0; x < picture.width; ++x) data.push({ x, y: picture.low + (picture.high - picture.low) * bytes.charCodeAt(y * picture.width + x) / 255 });
      return { label, data, borderColor: style.palette[i % style.palette.length], backgroundColor: style.palette[i % style.palette.length], borderWidth: 1.5, pointRadius: 0 };
    });
    return { type: "line", data: { datasets: sets }, options: { scales: { x: axis(`pixel of line ${item.profile}`, false, style), y: axis("grey level", false, style) }, plugins: { legend: legend(style) } } };
  });
}

// Lists of counts, as bars beside each other.
function addHistograms(parent, item, rows) {
  for (const row of lastRows(shown(rows))) {
    const lists = asList(item.values).map(name => [nameOf(name, [row]).split(".")[0], factor(row, name, item)]).filter(([, list]) => Array.isArray(list));
    if (!lists.length) continue;
    parent.append(element("h3", {}, `${row.case} ${gridText(row.grid)}`));
    draw(parent, `${item.title}: ${row.case}`, 200, style => ({ type: "bar",
      data: { labels: lists[0][1].map((_, i) => i), datasets: lists.map(([label, list], i) => ({ label, data: list, backgroundColor: style.palette[i], barPercentage: 1, categoryPercentage: 1 })) },
      options: { scales: { x: { grid: { display: false }, title: { display: true, text: "bin", color: style.soft } }, y: axis("pixels", false, style) }, plugins: { legend: legend(style) } } }));
  }
}

// A figure for each case, a line for each device and variant.
function addSustained(parent, item, rows) {
  const chosen = shown(rows).filter(row => row.outcome === "ok" && row.sustained);
  if (!chosen.length) return void parent.append(element("p", { class: "soft" }, "Nothing was run without pause."));
  const points = new Map();
  for (const row of chosen) {
    const point = [row.case, gridText(row.grid)].filter(Boolean).join(" at ");
    if (!points.has(point)) points.set(point, []);
    points.get(point).push(row);
  }
  for (const [point, some] of points) {
    if (points.size > 1) parent.append(element("h3", {}, point));
    const ways = new Set(some.map(row => row.way)).size;
    draw(parent, `${item.title}: ${point}`, 230 + 18 * Math.floor(some.length / 4), style => ({ type: "line", data: { datasets: some.map(row => ({ label: (ways > 1 ? row.way + " · " : "") + deviceOf(row).label, ...paint([row], { series: ways > 1 ? ["variant", "device"] : ["device"] }, style), pointRadius: 0,
        data: row.sustained.each_second.slice(0, Math.max(1, Math.floor(row.sustained.seconds))).map((runs, second) => ({ x: second, y: runs })) })) },
      options: { scales: { x: axis("second", false, style), y: axis("runs a second", true, style) }, plugins: { legend: legend(style) } } }));
  }
  parent.append(table(["case", "variant", "device", "runs a second", "median, ms", "99th percentile, ms", "worst, ms"], chosen.map(row => [row.case + " " + gridText(row.grid), row.way, deviceOf(row).label,
    number(row.sustained.runs_a_second), number(row.sustained.median_s * 1e3), number(row.sustained.p99_s * 1e3), number(row.sustained.worst_s * 1e3)]), 3));
}

// How far apart what should be the same is: the lowest and the highest of each value over variants and devices, by point.
function addSpread(parent, item, rows) {
  const down = asList(item.rows).length ? asList(item.rows) : ["case", "grid"], values = asList(item.values);
  const points = new Map();
  for (const row of shown(rows)) {
    const point = down.map(name => text(quantity(row, name, item) ?? "-")).join(" · ");
    if (!points.has(point)) points.set(point, []);
    points.get(point).push(row);
  }
  const exact = value => String(Number(value.toPrecision(7))), of = row => ` (${row.way}, ${deviceOf(row).label})`;
  const lines = [...points].flatMap(([point, some]) => values.map(value => {
    const found = some.map(row => ({ row, at: quantity(row, value, item) })).filter(one => typeof one.at === "number").sort((a, b) => a.at - b.at);
    if (!found.length) return null;
    const [low, high] = [found[0], found[found.length - 1]];
    return [...point.split(" · "), nameOf(value, some), found.length, wide(exact(low.at) + of(low.row)), wide(exact(high.at) + of(high.row)), number(high.at - low.at)];
  })).filter(Boolean);
  parent.append(lines.length ? table([...down, "value", "rows", wide("lowest"), wide("highest"), "apart by"], lines, down.length + 1) : element("p", { class: "soft" }, "No row has these values."));
}

function addItem(page, item) {
  const rows = rowsOf(item), section = element("section", {}, element("h2", {}, item.title));
  if (item.note) section.append(element("p", { class: "soft small" }, item.note));
  if (["line", "bar", "scatter"].includes(item.kind)) {
    const build = { line: lineChart, bar: barChart, scatter: scatterChart }[item.kind](item, rows);
    const some = shown(rows).some(row => typeof quantity(row, item.y, item) === "number");
    if (some) draw(section, item.title, 420 + 18 * Math.floor(seriesOf(shown(rows), item).size / 4), build);
    else section.append(element("p", { class: "soft" }, "Nothing was measured that this figure could show."));
  } else if (item.kind === "curve") draw(section, item.title, 460, curveChart(item, rows));
  else if (item.kind === "histograms") addHistograms(section, item, rows);
  else if (item.kind === "table") addTable(section, item, rows);
  else if (item.kind === "spread") addSpread(section, item, rows);
  else if (item.kind === "stages") {
    const chosen = lastRows(rows).filter(row => Object.keys(partsOf(item, row)).length > 1);
    if (shown(chosen).length) {
      draw(section, item.title, 110 + 26 * shown(chosen).length, stagesChart(item, chosen));
      section.append(element("details", {}, element("summary", {}, "in milliseconds"), table(["case", "variant", "device", "stage", "ms"], shown(chosen).flatMap(row =>
        Object.entries(partsOf(item, row)).map(([stage, ms]) => [row.case, row.way, deviceOf(row).label, stage, number(ms)])), 4)));
    } else section.append(element("p", { class: "soft" }, "No row has stages to show."));
  } else if (item.kind === "pairs") addPairs(section, item);
  else if (item.kind === "images") addImages(section, item, rows);
  else if (item.kind === "sustained") addSustained(section, item, rows);
  addPaper(section, item);
  page.append(section);
}

// ---- page

function deviceTable() {
  const last = label => [...report.sessions].reverse().find(session => session.rates[label] || (session.problems || {})[label]) || {};
  const clocks = label => report.rows.filter(row => row.clocks && deviceOf(row).label === label).map(row => row.clocks.sm_mhz).filter(Boolean);
  const range = list => !list.length ? "" : Math.min(...list) === Math.max(...list) ? String(list[0]) : `${Math.min(...list)} to ${Math.max(...list)}`;
  const known = labels.some(label => clocks(label).length);
  return table(["device", "backend", "driver", "memory, GB", "copy, GB/s", "peak f32, GFLOP/s", "upload, GB/s", "download, GB/s", "launch, us", ...(known ? ["clock, MHz"] : [])], report.devices.map(({ label, info }) => {
    const session = last(label), rates = (session.rates || {})[label] || {}, problem = (session.problems || {})[label];
    return [problem ? { text: label, class: "bad", title: problem } : label, info.backend, { text: info.driver, class: "narrow" }, number(info.global_memory / 1e9), number(rates.copy_gbs), number(rates.peak_gflops), number(rates.upload_gbs), number(rates.download_gbs), number(rates.launch_us), ...(known ? [range(clocks(label))] : [])];
  }));
}

function allRows() {
  const error = row => !row.agreement ? "" : row.agreement.exact ? "exact" : row.agreement.relative > 0 ? number(row.agreement.relative) : number(row.agreement.max_error);
  const interval = row => row.times && (row.times.device || row.times.wall) ? (({ low, high }) => `${number(low * 1e3)} to ${number(high * 1e3)}`)(row.times.device || row.times.wall) : "";
  const rows = shown(report.rows), reasons = rows.some(row => row.reason);
  return table(["case", "at", "variant", "device", "outcome", "error", "ULP, 99%", "kernels, ms", "95% interval", "wall, ms", "end to end, ms", ...(reasons ? [wide("reason")] : [])], rows.map(row => [row.case, gridText(row.grid), row.way, deviceOf(row).label,
    { text: row.outcome, class: ["ok", "refused", "too long"].includes(row.outcome) ? "" : "bad" }, error(row), row.agreement && !row.agreement.exact ? number(row.agreement.ulp.p99) : "", number(row.metrics.device_ms), interval(row), number(row.metrics.wall_ms), number(row.metrics.end_to_end_ms),
    ...(reasons ? [wide(row.reason || "")] : [])]), 4);
}

const wide = text => ({ text, class: "wide" });

// Whose choice each row's policy was: the study's, an entry's of the tuning files, or the variant's own. Points that share it are one line.
function allPolicies() {
  const lines = new Map();
  for (const row of shown(report.rows)) {
    if (!row.policy_from) continue;
    const policy = Object.entries(row.policy).map(([name, value]) => `${name} ${value}`).join(", ");
    const key = JSON.stringify([row.case, row.way, row.device, policy, row.policy_from]);
    if (!lines.has(key)) lines.set(key, { row, policy, at: [] });
    lines.get(key).at.push(gridText(row.grid));
  }
  return [...lines.values()].map(({ row, policy, at }) => [row.case, row.way, deviceOf(row).label, wide(policy), wide(row.policy_from), wide(at.filter(Boolean).join("; "))]);
}

function build() {
  for (const one of charts) if (one.chart) one.chart.destroy();
  charts = [];
  const page = document.getElementById("page"), study = report.study;
  page.replaceChildren();
  const toggle = element("button", { type: "button" }, theme() === "dark" ? "Light" : "Dark");
  toggle.addEventListener("click", () => { document.documentElement.dataset.theme = theme() === "dark" ? "light" : "dark"; toggle.textContent = theme() === "dark" ? "Light" : "Dark"; render(); });
  page.append(element("header", {}, element("div", {}, element("h1", {}, study.title), study.source ? element("p", { class: "soft" }, "After " + study.source) : null), toggle));
  if (study.about) page.append(element("p", {}, study.about));
  if (report.quick) page.append(element("p", { class: "bad" }, "Made with --quick: sizes and samples are for looking at the report, not for conclusions."));
  page.append(element("section", { class: "summary" }, element("h2", {}, "Summary"), element("ul", {}, ...report.summary.map(line => element("li", {}, line)))));
  page.append(element("section", {}, element("h2", {}, "Devices"), deviceTable(), element("p", { class: "small soft" }, "Rates were measured in the same session: a copy reads and writes; peak is of fused multiply-adds, on the native device of this program's own compiled loops.")));
  if (report.devices.length > 1) {
    const filter = element("div", { class: "filter" }, element("span", { class: "soft" }, "Show"));
    for (const label of labels) {
      const box = element("input", { type: "checkbox" });
      box.checked = !hidden.has(label);
      box.addEventListener("change", () => { box.checked ? hidden.delete(label) : hidden.add(label); const top = window.scrollY; build(); window.scrollTo(0, top); });
      filter.append(element("label", {}, box, label));
    }
    page.append(filter);
  }
  for (const item of items) addItem(page, item);
  const policies = allPolicies();
  page.append(element("section", {}, element("h2", {}, "Every row"), element("details", report.rows.length <= 24 ? { open: "" } : {}, element("summary", {}, `${report.rows.length} rows`), allRows()),
    policies.length ? element("details", policies.length <= 12 ? { open: "" } : {}, element("summary", {}, "by which policies"), table(["case", "variant", "device", wide("policy"), wide("whose choice"), wide("at")], policies, 3)) : null,
    element("p", { class: "small soft" }, "Error: largest difference from the reference, as a part of its largest magnitude; integers are exact or they disagree. Times are medians; intervals are 95% bootstrap intervals. A row without a time says why.")));
  const places = report.sessions.map(session => { const e = session.environment; return `${session.started}: ${e.processor}, ${e.threads} threads, ${number(e.memory / 1e9)} GB, ${e.system}; engine ${e.engine}, revision ${e.revision}, ${e.compiler}, ${e.build}`; });
  page.append(element("footer", {}, ...places.map(place => element("div", {}, place))));
  render();
  document.body.dataset.charts = String(charts.length);
}

document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
let before = null;
addEventListener("beforeprint", () => { before = theme(); document.documentElement.dataset.theme = "light"; for (const details of document.querySelectorAll("details")) details.open = details.open || details.querySelectorAll("tr").length <= 60; render(); });
addEventListener("afterprint", () => { document.documentElement.dataset.theme = before; render(); });
addEventListener("error", event => { document.body.dataset.error = event.message; });
build();
})();
