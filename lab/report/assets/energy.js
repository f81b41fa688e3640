// Joules a frame, and clock, temperature and power while rows ran.
const throttledBy = row => [...new Set([row.energy, row.sustained].flatMap(one => one && one.history && one.history.throttled || []))];

function energySection() {
  const rows = shown(report.rows).filter(row => row.energy && row.outcome === "ok"), watched = shown(report.rows).filter(row => [row.energy, row.sustained].some(one => one && one.history && one.history.watts.some(value => value !== null)));
  if (!rows.length && !watched.length) return null;
  const section = element("section", { id: "energy" }, element("h2", {}, "Energy"));
  const joules = value => value === null || value === undefined ? "" : value < 1 ? `${number(value * 1e3)} mJ` : `${number(value)} J`;
  if (rows.length) {
    section.append(table(["case", "variant", "device", "a frame, by the counter", "a frame, by power added up", "watts at work", "watts idle", "from", "throttled by"], rows.map(row => {
      const frames = caseOf(row.case).frames || 1, { counter_joules, integrated_joules } = row.energy, a = value => value === null || value === undefined ? "" : joules(value / frames);
      return [[row.case, gridText(row.grid)].filter(Boolean).join(", "), wayOf(row), deviceOf(row).label, a(counter_joules), a(integrated_joules), number(row.energy.watts), number(row.energy.idle_watts), row.energy.source,
        { text: throttledBy(row).join(", "), class: "bad" }];
    }), 3));
    section.append(element("p", { class: "small soft" }, "From end to end, what the device draws idle taken off. A card's counter and its power are of the whole board, RAPL's of the processor's package without memory modules."));
  }
  const series = [["watts", "power, W"], ["sm_mhz", "clock, MHz"], ["celsius", "temperature, °C"]];
  const histories = watched.map(row => ({ row, of: [row.sustained, row.energy].find(one => one && one.history).history }));
  const parts = series.filter(([key]) => histories.some(({ of }) => of[key].some(value => value !== null)));
  if (parts.length) {
    const figures = element("details", {}, element("summary", {}, "over time"));
    for (const [key, title] of parts) draw(figures, title, 240 + 9 * histories.length, style => ({ type: "line", data: { datasets: histories.map(({ row, of }, i) => ({ label: `${row.case} · ${deviceOf(row).label}`, pointRadius: 0, borderWidth: 1.5,
      borderColor: style.palette[i % style.palette.length], backgroundColor: style.palette[i % style.palette.length], borderDash: dashes[Math.floor(i / style.palette.length) % dashes.length], data: of.seconds.map((x, k) => ({ x, y: of[key][k] })).filter(point => point.y !== null) })) },
      options: { scales: { x: axis("second", false, style), y: axis(title, false, style) }, plugins: { legend: legend(style) } } }));
    section.append(figures);
  }
  return section;
}
