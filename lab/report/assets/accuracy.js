// How far from the reference: the worst of each algorithm on each device.
function accuracySection() {
  const rows = shown(report.rows).filter(row => row.agreement), devices = report.devices.map((_, i) => i).filter(i => rows.some(row => row.device === i));
  const algorithms = [...new Set(rows.map(row => algorithmOf(row.case)))];
  if (!rows.length) return null;
  const worst = (some, of) => some.reduce((a, b) => of(b) > of(a) ? b : a);
  const cell = (algorithm, device) => {
    const some = rows.filter(row => row.device === device && algorithmOf(row.case) === algorithm);
    if (!some.length) return "";
    const wrong = some.find(row => !row.agreement.agrees);
    if (wrong) return { class: "bad", title: wrong.reason || "", nodes: [linkTo(report.rows.indexOf(wrong), "disagrees")] };
    if (some.every(row => row.agreement.exact)) return { text: "exact", title: `${some.length} rows` };
    const far = worst(some, row => row.agreement.relative), ulp = worst(some, row => row.agreement.ulp ? row.agreement.ulp.max : 0);
    const levels = some.every(row => row.agreement.relative === 0);      // integers that may round to a neighbour
    return { nodes: [linkTo(report.rows.indexOf(far), levels ? `${number(worst(some, row => row.agreement.max_error).agreement.max_error)} grey levels at most` : number(far.agreement.relative)),
      levels || !ulp.agreement.ulp ? null : element("div", { class: "small soft", title: "units in the last place, the worst element, and what 99% of all are within; a number close to 0 has tiny units" }, `${number(ulp.agreement.ulp.max)} ULP, 99% ${number(ulp.agreement.ulp.p99)}`)] };
  };
  const section = element("section", { id: "accuracy" }, element("h2", {}, "Accuracy"));
  section.append(table(["worst difference", ...devices.map(i => labels[i])], algorithms.map(algorithm => [algorithm, ...devices.map(device => cell(algorithm, device))])));
  section.append(element("p", { class: "small soft" }, "Against the study's reference: as a part of its largest magnitude, and in units in the last place of the element itself."));
  return section;
}
