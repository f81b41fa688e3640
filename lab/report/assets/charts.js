// Figures of numbers, drawn by Chart.js.
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

// Where half of a figure is too little for a row's whole name: a telephone, a sheet of paper.
let printing = false;
const isNarrow = () => printing || innerWidth < 900;

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

const timeOf = (row, name) => /_ms$/.test(name) && row.times ? row.times[name === "compute_ms" ? (row.times.device ? "device" : "wall") : name.replace(/_ms$/, "")] : undefined;
const intervalOf = (row, name) => {
  const time = timeOf(row, name);
  return time ? [time.low * 1e3, time.high * 1e3] : null;
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
    const y = isLog(item, "y", shown(rows).map(row => quantity(row, item.y, item)));
    const x = numeric ? axis(nameOf(item.x, rows), isLog(item, "x", rows.map(row => quantity(row, item.x, item))), style) : { type: "category", labels: order, title: { display: true, text: nameOf(item.x, rows), color: style.soft }, grid: { color: style.line } };
    if (numeric) {   // the grid's own values are the ticks
      const values = [...new Set([...rows.map(row => quantity(row, item.x, item)), ...paper.flatMap(set => set.data.map(point => point.x))])].sort((a, b) => a - b);
      x.afterBuildTicks = scale => { if (values.length <= 16) scale.ticks = values.map(value => ({ value })); };
      x.ticks = { callback: value => String(value), autoSkip: true };
    }
    return { type: "line", data: { datasets: [...sets, ...paper] },
      options: { interaction: { mode: "nearest", intersect: false }, scales: { x, y: axis(nameOf(item.y, rows), y, style) },
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
    const log = isLog(item, "y", shown(rows).map(row => quantity(row, item.y, item)));
    return { type: "bar", data: { labels: order, datasets: sets },
      options: { skipNull: true, scales: { x: { grid: { display: false } }, y: axis(nameOf(item.y, rows), log, style) }, plugins: { legend: legend(style), tooltip: { callbacks: { label: at => `${at.dataset.label}: ${number(at.parsed.y)}` } } } }, plugins: [whiskers] };
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
    const log = name => isLog(item, name, shown(rows).map(row => quantity(row, item[name], item)));
    return { type: "scatter", data: { datasets: sets }, options: { scales: { x: axis(nameOf(item.x, rows), log("x"), style), y: axis(nameOf(item.y, rows), log("y"), style) },
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
    const labels = chosen.map(row => [`${several ? row.case + ": " : ""}${wayOf(row)}`, deviceOf(row).label]), narrow = isNarrow();
    const parts = chosen.map(row => partsOf(item, row)), total = parts.map(part => Object.values(part).reduce((a, b) => a + b, 0));
    const stages = [...new Set(parts.flatMap(part => Object.keys(part)))];
    const sets = stages.map((stage, i) => ({ label: stage, data: parts.map((part, r) => part[stage] === undefined ? null : 100 * part[stage] / total[r]), backgroundColor: style.palette[i % style.palette.length], stack: "all" }));
    return { type: "bar", data: { labels: narrow ? labels : labels.map(parts => parts.join(" · ")), datasets: sets }, options: { indexAxis: "y", scales: { x: { stacked: true, max: 100, title: { display: true, text: "share of the time, %", color: style.soft }, grid: { color: style.line } }, y: { stacked: true, grid: { display: false }, ticks: { autoSkip: false, font: { size: narrow ? 9 : 12 } } } },
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
      scales: { x: { type: "logarithmic", title: { display: true, text: `ratio of times, ${intervalsAre(pairs)}; dashed: 2%`, color: style.soft }, grid: { color: style.line }, ticks: { callback: tick, maxTicksLimit: 12 }, min: least, max: most },
        y: { grid: { color: style.line }, ticks: { autoSkip: false, font: { size: 11 } } } },
      plugins: { legend: { display: false }, tooltip: { callbacks: { label: at => `${number(pairs[at.dataIndex].ratio)} [${number(pairs[at.dataIndex].low)}, ${number(pairs[at.dataIndex].high)}${sureOf(pairs[at.dataIndex])}]` } } } },
    plugins: [whiskers, marks],
  });
}
