// The index of a collection: studies, and in each the devices of all machines, the fastest first.
const index = JSON.parse(document.getElementById("data").textContent);
const byWhich = { end_to_end: "from host memory to host memory", device: "by the device's time" };

const unlike = list => list.filter((one, i) => one && list.indexOf(one) === i).join(", ");
const small = words => element("div", { class: "small soft" }, words);

function studySection(study) {
  const rows = study.devices.map((device, i) => [
    { class: "wide", nodes: [element(i ? "span" : "b", {}, device.label), small(unlike([device.info.vendor, device.info.platform, device.info.driver])), ...(device.note ? [small(device.note)] : [])] },
    device.speed ? { nodes: [element("b", {}, times(device.speed.ratio)), small(intervalOver(device.speed))] } : "",
    `${device.timed} of ${study.points}`, number(device.info.global_memory / 1e9), { class: "narrow", nodes: [(device.started || "").slice(0, 10), small(`engine ${device.engine || "unknown"}`)] }, { text: device.machine, class: "narrow" }]);
  return element("section", {}, element("h2", {}, element("a", { href: study.page }, study.title)), study.quick ? element("p", { class: "bad small" }, "Made with --quick: sizes are for looking at reports.") : null,
    study.about ? element("p", { class: "small soft" }, prose(study.about)) : null,
    table([{ text: "device", class: "wide" }, `speed, ${byWhich[study.by]}`, "points timed", "memory, GB", "measured", "report"], rows, 1));
}

document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
addEventListener("error", event => { document.body.dataset.error = event.message; });
document.getElementById("page").replaceChildren(element("header", {}, element("h1", {}, "Results by machine")),
  element("p", { class: "soft" }, "Speed is the geometric mean over a study's cases, against its slowest device, with its 95% interval over the cases. The title leads to every number."),
  ...index.studies.map(studySection));
document.body.dataset.studies = String(index.studies.length);
