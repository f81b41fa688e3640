// What a study asks its report to show: tables, figures and pictures, an item each.
function addPaper(parent, item) {
  const paper = item.paper;
  if (!paper) return;
  const box = element("div", { class: "paper" }, element("div", { class: "small soft" }, "The paper: " + paper.source));
  if (paper.header) box.append(table(paper.header, paper.rows || []));
  if (paper.series && !paper.header) box.append(table(["", "at", "value"], paper.series.flatMap(one => one.points.map(([x, y]) => [one.label, number(x), number(y)]))));
  if (paper.note) box.append(element("p", { class: "small" }, paper.note));
  parent.append(box);
}

const why = row => ({ text: row.outcome === "ok" ? "" : row.outcome, class: ["refused", "too long", "left out"].includes(row.outcome) ? "none" : row.outcome === "ok" ? "" : "bad", title: row.reason || "" });

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
        const time = timeOf(row, value);
        return { text: number(found), class: found === best.get(column) ? "best" : "", title: time ? `interval ${number(time.low * 1e3)} to ${number(time.high * 1e3)}${sureOf(time) || ", 95%"}` : "" };
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
  const lines = pairs => pairs.map(pair => [pairName(pair), number(pair.of_ms), number(pair.to_ms), pair.ratio.toFixed(3), `${pair.low.toFixed(3)} to ${pair.high.toFixed(3)}${sureOf(pair)}`, verdict(pair)]);
  const header = ["", "ms", "against, ms", "ratio", intervalsAre(visible), ""];
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
