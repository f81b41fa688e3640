// What the page knows: the report, which of its rows are shown, and rows by what they are called.
const report = JSON.parse(document.getElementById("data").textContent);
const items = report.study.report || [];
const hidden = new Set();      // labels of devices that the filter has switched off
const only = { case: "", variant: "" };      // what else the filter leaves; empty: all
let charts = [];

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
const shown = rows => rows.filter(row => !hidden.has(deviceOf(row).label) && (!only.case || row.case === only.case) && (!only.variant || row.way === only.variant));
// What the engine chose where a study lets it choose: of a chain every step.
const chainOf = row => row.steps && row.steps.length > 1 ? row.steps.map(step => `${step.run} ${step.variant}`).join(" → ") : row.variant;
const wayOf = row => (row.way === "chosen" || row.way === "program") && row.variant ? chainOf(row) : row.way;
// The algorithms of a case, whole chains by name.
const algorithmOf = id => { const one = report.study.cases.find(one => one.id === id); return one && one.steps ? one.steps.map(step => step.run).join(" → ") : id; };
const caseOf = id => report.study.cases.find(one => one.id === id) || {};
const gridText = grid => Object.entries(grid).map(([axis, value]) => `${axis} ${text(value)}`).join(", ");
