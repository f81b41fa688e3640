// The answer: cases by devices, each device against one that the reader chooses, and who keeps up with how many frames a second.
const asked = { against: null, span: report.answer ? report.answer.by : "device", frames: "" };
const spans = { end_to_end: "end to end", device: "the device alone" };
const secondsIn = (row, span) => span === "end_to_end" ? row.times.end_to_end : row.times.device || row.times.wall;
const linkTo = (index, words) => element("a", { href: `#row-${index}` }, words);
const duration = seconds => seconds >= 1 ? `${number(seconds)} s` : seconds >= 1e-3 ? `${number(seconds * 1e3)} ms` : `${number(seconds * 1e6)} us`;
// Until the reader chooses: the best way of the processors where there is something else, too; else the slowest. Of those that have
// most points.
function baseOf(devices) {
  const { overall, points } = report.answer.spans[asked.span], timed = device => points.filter(point => point.rows[device] !== null).length;
  const most = Math.max(...devices.map(timed)), whole = devices.filter(device => timed(device) === most);
  const processors = whole.filter(device => report.devices[device].info.type === "cpu"), mixed = processors.length > 0 && processors.length < whole.length;
  const isFaster = (one, other) => overall[one][other] && overall[one][other].ratio > 1;
  if (mixed) return processors.reduce((best, one) => isFaster(best, one) ? best : one);
  return whole.reduce((slow, one) => isFaster(slow, one) ? one : slow, whole[0] ?? 0);
}

// Where the study states a price by a part of the device's name.
function priceOf(device) {
  const found = Object.entries(report.study.prices || {}).find(([name]) => (device.label + " " + device.info.name).toLowerCase().includes(name.toLowerCase()));
  return found && { text: found[1], amount: parseFloat(found[1]), currency: found[1].split(" ").slice(1).join(" ") };
}

// How many times as fast for the same money; nothing where a price is missing, or of the device itself.
function forThePrice(speed, device) {
  const price = priceOf(report.devices[device]), base = priceOf(report.devices[asked.against]);
  return price && base && price.currency === base.currency && device !== asked.against ? `${times(speed.ratio * base.amount / price.amount)} for the price` : "";
}

// One run has no interval.
const intervalIn = (of, words) => of.low < of.high ? `95% interval ${words(of.low)} to ${words(of.high)}` : "too few runs for an interval";

// What a case takes, as far as its study says it: "u8 3072 x 2304", "64 frames a run".
function sizeOf(id) {
  const { inputs, frames } = caseOf(id), plain = one => typeof one === "number";
  const arrays = Object.values(inputs || {}).map(input => Array.isArray(input.shape) && input.shape.every(plain) ? `${input.type || ""} ${[...input.shape].reverse().join(" x ")}`.trim()
    : plain(input.size) ? `${input.kind || input.run || ""} of ${input.size}`.trim() : "");
  return [...new Set(arrays.filter(Boolean)), frames > 1 ? `${frames} frames a run` : ""].filter(Boolean).join(", ");
}

function headOf(device) {
  const { info } = device, price = priceOf(device);
  const facts = [[info.vendor, info.platform].filter((one, i, all) => one && all.indexOf(one) === i).join(", "), info.backend === "native" ? info.driver : `driver ${info.driver}`, `${number(info.global_memory / 1e9)} GB`, price && price.text];
  return { class: "device", nodes: [element("b", {}, device.label), ...facts.filter(Boolean).map(fact => element("div", { class: "small" }, fact))] };
}

// "yes" where even the slow end of the interval keeps up, "no" where the fast end does not; and where one run in a hundred comes late.
function keepsUp(row, wanted, frames) {
  const time = row.times.end_to_end;
  if (!time) return null;
  const rate = frames / time.median, verdict = frames / time.high >= wanted ? "yes" : frames / time.low < wanted ? "no" : "on the edge";
  const late = verdict === "yes" && row.metrics.latency_p99_ms > 1e3 * frames / wanted;
  return element("div", { class: "small " + (verdict === "yes" ? "good" : verdict === "no" ? "bad" : "soft"), title: `${number(rate)} frames a second from end to end, one run after another` },
    `${wanted}/s: ${verdict}, ${times(rate / wanted)}` + (late ? ", 1% late" : ""));
}

function answerCell(point, device, devices) {
  const index = point.rows[device];
  if (index === null) {
    const row = report.rows.find(row => row.case === point.case && row.device === device && JSON.stringify(row.grid) === JSON.stringify(point.grid));
    return { text: row ? row.outcome : "", class: "none", title: row ? row.reason || "" : "" };
  }
  const row = report.rows[index], speed = point.speed[device][asked.against], time = secondsIn(row, asked.span), other = asked.span === "end_to_end" ? row.times.device : row.times.end_to_end;
  const wanted = Number(asked.frames) || caseOf(point.case).frames_a_second, frames = caseOf(point.case).frames || 1;
  const best = devices.length > 1 && devices.every(one => point.rows[one] === null || point.speed[device][one].high >= 1);
  const share = speed && forThePrice(speed, device);
  return { class: best ? "best" : "", title: `${wayOf(row)}; ${intervalIn(time, duration)}`, nodes: [
    speed && devices.length > 1 ? element("div", { title: intervalIn(speed, times) }, times(speed.ratio)) : null,
    element("div", { class: "small" }, linkTo(index, duration(time.median))),
    other ? element("div", { class: "small soft" }, `${asked.span === "end_to_end" ? "device" : "end to end"} ${duration(other.median)}`) : null,
    wanted ? keepsUp(row, wanted, frames) : null, share ? element("div", { class: "small soft" }, share) : null] };
}

function overallCell(device, devices) {
  const mean = report.answer.spans[asked.span].overall[device][asked.against];
  if (!mean) return { text: "", class: "none" };
  const share = forThePrice(mean, device);
  const best = devices.every(one => { const against = report.answer.spans[asked.span].overall[device][one]; return !against || against.high >= 1; });
  return { class: best ? "best" : "", nodes: [element("div", {}, times(mean.ratio)), element("div", { class: "small soft" }, intervalOver(mean)),
    share ? element("div", { class: "small soft", title: "speed by price, against the same device" }, share) : null] };
}

function answerSection() {
  const section = element("section", { id: "answer" }, element("h2", {}, report.devices.length > 1 ? "Which device" : "What this device does"));
  const devices = report.devices.map((_, i) => i).filter(i => !hidden.has(labels[i]));
  if (!devices.includes(asked.against)) asked.against = baseOf(devices);
  const points = report.answer.spans[asked.span].points.filter(point => (!only.case || point.case === only.case) && point.rows.some((row, device) => row !== null && devices.includes(device)));
  if (!points.length) { section.append(element("p", { class: "soft" }, "Nothing was timed so: rows say why.")); return section; }
  const bar = element("div", { class: "controls" });
  if (devices.length > 1) bar.append(choice("times as fast as", devices.map(i => [String(i), labels[i]]), String(asked.against), value => { asked.against = Number(value); rebuild(); }));
  bar.append(choice("by", Object.entries(spans), asked.span, value => { asked.span = value; rebuild(); }));
  const wanted = element("input", { type: "number", min: "0", step: "any", placeholder: "the study's", value: asked.frames, "aria-label": "frames a second" });
  wanted.addEventListener("change", () => { asked.frames = wanted.value; rebuild(); });
  bar.append(element("label", {}, element("span", { class: "soft" }, "frames a second"), wanted));
  section.append(bar);
  const several = new Set(points.map(point => point.case)).size > 1;
  const header = () => ["", ...devices.map(i => headOf(report.devices[i]))];
  const name = point => ({ class: "case", nodes: [element("b", {}, ...(several || !gridText(point.grid) ? breakable(point.case) : [])), element("div", { class: "small soft" }, [several || !gridText(point.grid) ? algorithmOf(point.case) : "", gridText(point.grid)].filter(Boolean).join(", ")), several || !gridText(point.grid) ? element("div", { class: "small soft" }, sizeOf(point.case)) : null] });
  const lines = points.map(point => [name(point), ...devices.map(device => answerCell(point, device, devices))]);
  const mean = points.length > 1 && devices.length > 1 && !only.case ? [[{ class: "case", nodes: [element("b", {}, "all of them"), element("div", { class: "small soft" }, "geometric mean, 95% interval")] }, ...devices.map(device => overallCell(device, devices))]] : [];
  const most = 12;
  const made = table(header(), [...mean, ...lines.slice(0, most)]);
  made.classList.add("matrix");
  section.append(made);
  if (lines.length > most) {
    const rest = table(header(), lines.slice(most));
    rest.classList.add("matrix");
    section.append(element("details", {}, element("summary", {}, `${lines.length - most} more points`), rest));
  }
  section.append(element("p", { class: "small soft" }, "Of each device its fastest row that agrees with the reference, bold the fastest and those that are not surely slower. × says how many times as fast as the chosen device. " +
    "The mean counts each case once; its interval is Student's of the logarithms: where it holds 1, the cases do not agree on who is faster. Frames a second are from host memory to host memory, one run after another: yes where the whole 95% interval keeps up. A processor's upload and download are copies within its memory."));
  return section;
}
