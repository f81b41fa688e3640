// The roofline of each device: what its measured copy, caches and arithmetic allow, and where the kernels lie below (Williams, Waterman and Patterson 2009).
function roofsOf(label) {
  const rates = [...report.sessions].reverse().map(session => session.rates[label]).find(Boolean) || {};
  const read = Object.entries(rates.read_gbs || {}).map(([bytes, rate]) => [Number(bytes), rate]), fastest = read.sort((a, b) => b[1] - a[1])[0];
  const size = bytes => bytes < 1048576 ? `${bytes / 1024} KiB` : `${bytes / 1048576} MiB`;
  return { slopes: [["copy", rates.copy_gbs], fastest && [`reads of ${size(fastest[0])}`, fastest[1]], ["local memory", rates.local_gbs]].filter(one => one && one[1] > 0),
    tops: [["f32", rates.peak_gflops], ["f64", rates.peak_f64_gflops], ["i32", rates.peak_i32_gops]].filter(([, rate]) => rate > 0) };
}

function rooflineChart(label, rows) {
  return style => {
    const { slopes, tops } = roofsOf(label), top = Math.max(...tops.map(([, rate]) => rate)), steepest = Math.max(...slopes.map(([, rate]) => rate));
    const places = rows.map(row => row.metrics.intensity), ridge = top / Math.min(...slopes.map(([, rate]) => rate));
    const from = Math.min(...places, top / steepest) / 4, to = Math.max(...places, ridge) * 4;
    const roof = ([name, rate], i) => ({ label: `${name}, ${number(rate)} GB/s`, data: [{ x: from, y: from * rate }, { x: top / rate, y: top }], showLine: true, pointRadius: 0, borderWidth: 1.5, borderColor: style.soft, backgroundColor: style.soft, borderDash: dashes[i] });
    const flat = ([name, rate], i) => ({ label: `${name}, ${number(rate)} G/s`, data: [{ x: rate / steepest, y: rate }, { x: to, y: rate }], showLine: true, pointRadius: 0, borderWidth: 1.5, borderColor: style.text, backgroundColor: style.text, borderDash: dashes[i] });
    const cases = [...new Set(rows.map(row => row.case))];
    const sets = cases.map((id, i) => ({ label: id, showLine: false, pointRadius: 6, pointStyle: points[i % points.length], borderColor: style.palette[i % style.palette.length], backgroundColor: style.palette[i % style.palette.length],
      names: rows.filter(row => row.case === id).map(row => [wayOf(row), gridText(row.grid)].filter(Boolean).join(", ")), data: rows.filter(row => row.case === id).map(row => ({ x: row.metrics.intensity, y: row.metrics.gflops })) }));
    return { type: "scatter", data: { datasets: [...slopes.map(roof), ...tops.map(flat), ...sets] }, options: { scales: { x: axis("operations a byte of least traffic", true, style), y: axis("operations a second, 10⁹", true, style) },
      plugins: { legend: legend(style), tooltip: { callbacks: { label: at => `${at.dataset.label}${at.dataset.names ? ` (${at.dataset.names[at.dataIndex]})` : ""}: ${number(at.parsed.x)} a byte, ${number(at.parsed.y)} G/s` } } } } };
  };
}

function rooflineSection() {
  const rows = shown(report.rows).filter(row => row.metrics.intensity > 0), seen = labels.filter(label => rows.some(row => deviceOf(row).label === label) && roofsOf(label).slopes.length && roofsOf(label).tops.length);
  if (!seen.length) return null;
  const section = element("section", { id: "roofline" }, element("h2", {}, "Roofline"));
  for (const label of seen) {
    if (seen.length > 1) section.append(element("h3", {}, label));
    draw(section, `Roofline: ${label}`, 380, rooflineChart(label, rows.filter(row => deviceOf(row).label === label)));
  }
  section.append(element("p", { class: "small soft" }, "Roofs were measured in the same session. Points count the operations and the least traffic that the study states, by the device's time: a point above the roof of the copy works out of a cache."));
  return section;
}
