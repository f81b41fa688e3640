// The page from top to bottom, and what is done when it is filtered, printed or turned dark.
// Devices, cases and variants that are shown, in every figure and table.
function filterBar() {
  const filter = element("div", { class: "filter" }, element("span", { class: "soft" }, "Show"));
  if (report.devices.length > 1) for (const label of labels) {
    const box = element("input", { type: "checkbox" });
    box.checked = !hidden.has(label);
    box.addEventListener("change", () => { box.checked ? hidden.delete(label) : hidden.add(label); rebuild(); });
    filter.append(element("label", {}, box, label));
  }
  for (const [name, values] of [["case", [...new Set(report.rows.map(row => row.case))]], ["variant", ways]]) {
    if (values.length > 1) filter.append(choice(name, [["", "all"], ...values.map(value => [value, value])], only[name], value => { only[name] = value; rebuild(); }));
  }
  return filter.children.length > 1 ? filter : element("div", {});
}

// Opens what a link into the page points to, wherever it is folded away.
function openTarget() {
  const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  for (const marked of document.querySelectorAll("tr.target")) marked.classList.remove("target");
  if (target.closest("tr")) target.closest("tr").classList.add("target");
  target.scrollIntoView({ block: "center" });
}

function rebuild() {
  const top = window.scrollY;
  build();
  window.scrollTo(0, top);
}

function build() {
  for (const one of charts) if (one.chart) one.chart.destroy();
  charts = [];
  const page = document.getElementById("page"), study = report.study;
  page.replaceChildren();
  const toggle = element("button", { type: "button" }, theme() === "dark" ? "Light" : "Dark");
  toggle.addEventListener("click", () => { document.documentElement.dataset.theme = theme() === "dark" ? "light" : "dark"; toggle.textContent = theme() === "dark" ? "Light" : "Dark"; render(); });
  page.append(element("header", {}, element("div", {}, element("h1", {}, study.title), study.source ? element("p", { class: "soft" }, "After " + study.source) : null), toggle));
  if (study.about) page.append(element("p", {}, prose(study.about)));
  if (report.quick) page.append(element("p", { class: "bad" }, "Made with --quick: sizes and samples are for looking at the report, not for conclusions."));
  page.append(filterBar());
  if (report.answer) page.append(answerSection());
  for (const { budget, rates } of report.sessions) if (budget) page.append(element("p", { class: "soft small" }, `${report.sessions.length > 1 ? Object.keys(rates).join(", ") + ": made" : "Made"} in ${number(budget.minutes)} minutes (${number(budget.took_s)} s). ` + (budget.left_out.length ? "Left out: " + budget.left_out.join("; ") + "." : "Nothing was left out.")));
  page.append(element("section", { class: "summary" }, element("h2", {}, "In words"), element("ul", {}, ...report.summary.map(line => element("li", {}, line)))));
  page.append(element("section", {}, element("h2", {}, "Devices"), deviceTable(), element("p", { class: "small soft" }, "Rates were measured in the same session: a copy reads and writes; peak is of fused multiply-adds, on the native device of this program's own compiled loops.")));
  for (const item of items) addItem(page, item);
  for (const section of [energySection(), rooflineSection(), accuracySection()]) if (section) page.append(section);
  const policies = allPolicies();
  page.append(element("section", {}, element("h2", {}, "Every row"), element("details", report.rows.length <= 24 ? { open: "" } : {}, element("summary", {}, `${report.rows.length} rows`), allRows()),
    policies.length ? element("details", policies.length <= 12 ? { open: "" } : {}, element("summary", {}, "by which policies"), table(["case", "variant", "device", wide("policy"), wide("whose choice"), wide("at")], policies, 3)) : null,
    element("p", { class: "small soft" }, "A row's # is a link to it. Error: largest difference from the reference, as a part of its largest magnitude; integers are exact or they disagree. Times are medians; intervals are of 95%, by a bootstrap, of fresh processes by the sign test: where those are too few for that, an interval says how sure it is. Latencies are from end to end: of the runs without pause where there were some, else of the samples, as far as their number tells. A row without a time says why.")));
  const places = report.sessions.map(session => { const e = session.environment; return `${session.started}: ${e.processor}, ${e.threads} threads, ${number(e.memory / 1e9)} GB, ${e.system}; engine ${e.engine}, revision ${e.revision}, ${e.compiler}, ${e.build}${e.load ? `, a load of ${e.load} before` : ""}${e.note ? `. Note: ${e.note}` : ""}`; });
  page.append(element("footer", {}, ...places.map(place => element("div", {}, place))));
  render();
  document.body.dataset.charts = String(charts.length);
}

document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
let before = null;
const atMost = height => { printing = height !== ""; for (const { canvas } of charts) canvas.parentElement.style.maxHeight = height; render(); };
addEventListener("beforeprint", () => { before = theme(); document.documentElement.dataset.theme = "light"; for (const details of document.querySelectorAll("details")) details.open = details.open || details.querySelectorAll("tr").length <= 60; atMost("880px"); });   // with its heading on one page
addEventListener("afterprint", () => { document.documentElement.dataset.theme = before; atMost(""); });
addEventListener("error", event => { document.body.dataset.error = event.message; });
build();
addEventListener("hashchange", openTarget);
openTarget();
