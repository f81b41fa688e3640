// The answer: cases by devices, each device against one that the reader chooses, and who keeps up with how many frames a second.
const asked = { against: null, span: report.answer ? report.answer.by : "device", frames: "", size: "" };
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

// Where the study states a price by a part of the device's name; of several the longest.
function priceOf(device) {
  const called = `${device.label} ${device.info.name}`.toLowerCase(), fits = Object.entries(report.study.prices || {}).filter(([name]) => called.includes(name.toLowerCase()));
  const [, written] = fits.sort(([one], [other]) => other.length - one.length)[0] || [];
  return written && { text: written, amount: parseFloat(written), currency: written.split(" ").slice(1).join(" ") };
}

// What is bought: a card by its name, a processor by what its machine calls it. Through several drivers one appears as several devices.
function hardwareOf(index) {
  const { info } = report.devices[index], row = report.rows.find(row => row.device === index), of = row && report.sessions[row.session].environment;
  return info.type === "cpu" && of && of.processor ? `${of.processor}, ${of.threads} threads` : info.name;
}
// Two cards of one name are two pieces, and so are equal machines: their labels end in "#2", "(machine 2)", or the report says which
// machine a device is of.
function pieceOf(index) {
  const { label, machine } = report.devices[index], ending = /( #\d+| \(machine \d+\))*$/.exec(label)[0];
  return hardwareOf(index) + (machine ? ending.replace(/ \(machine \d+\)/g, "") + ` (machine ${machine})` : ending);
}
const piecesOf = devices => [...devices.reduce((all, i) => all.set(pieceOf(i), [...(all.get(pieceOf(i)) || []), i]), new Map())];
// One price for all ways to use a piece: where only one of its devices is called so, it is theirs all the same.
const priceOfPiece = index => report.devices.map((_, i) => i).filter(i => pieceOf(i) === pieceOf(index)).map(i => priceOf(report.devices[i])).find(Boolean);

// How many times as fast for the same money; nothing where a price is missing, or of the same piece.
function forThePrice(speed, device) {
  const price = priceOfPiece(device), base = priceOfPiece(asked.against);
  return price && base && price.currency === base.currency && pieceOf(device) !== pieceOf(asked.against) ? `${times(speed.ratio * base.amount / price.amount)} for the price` : "";
}

// One run has no interval.
const intervalIn = (of, words) => of.low < of.high ? `${words(of.low)} to ${words(of.high)}${sureOf(of)}` : "";

// What a case takes, as far as its study says it: "u8 3072 x 2304", "64 frames a run".
function sizeOf(id) {
  const { inputs, frames } = caseOf(id), plain = one => typeof one === "number";
  const arrays = Object.values(inputs || {}).map(input => Array.isArray(input.shape) && input.shape.every(plain) ? `${input.type || ""} ${[...input.shape].reverse().join(" x ")}`.trim()
    : plain(input.size) ? `${input.kind || input.run || ""} of ${input.size}`.trim() : "");
  return [...new Set(arrays.filter(Boolean)), frames > 1 ? `${frames} frames a run` : ""].filter(Boolean).join(", ");
}

// A frame's width and height at a point; nothing where a case takes something else.
function frameOf(point, row) {
  const known = { ...(row && row.variables), ...point.grid }, value = one => typeof one === "string" && one.startsWith("$") ? known[one.slice(1)] : one;
  const shapes = Object.values(caseOf(point.case).inputs || {}).map(input => (input.shape || []).map(value)).filter(shape => shape.length === (caseOf(point.case).frames > 1 ? 3 : 2) && shape.every(one => typeof one === "number"));
  return shapes.length ? { width: shapes[0].at(-1), height: shapes[0].at(-2) } : null;
}
// "1920 x 1080" as the reader writes it.
function wantedSize() {
  const found = /^\s*(\d+)\s*[x×*, ]\s*(\d+)\s*$/i.exec(asked.size);
  return found && Number(found[1]) > 0 && Number(found[2]) > 0 ? { width: Number(found[1]), height: Number(found[2]) } : null;
}

// A piece of hardware stands above the devices that it appears as, with its price once.
function headsOf(devices) {
  const pieces = piecesOf(devices), facts = list => list.filter(Boolean).map(fact => element("div", { class: "small" }, fact));
  const software = ({ info }) => [[info.vendor, info.platform].filter((one, i, all) => one && all.indexOf(one) === i).join(", "), info.backend === "native" ? info.driver : `driver ${info.driver}`, `${number(info.global_memory / 1e9)} GB`];
  const price = i => { const found = priceOfPiece(i); return found && found.text; };
  const shared = pieces.some(([, of]) => of.length > 1);
  const heads = [["", ...devices.map(i => ({ class: "device", nodes: [element("b", {}, labels[i]), ...facts([...software(report.devices[i]), shared ? "" : price(i)])] }))]];
  if (shared) heads.unshift(["", ...pieces.map(([name, of]) => ({ class: "piece", span: of.length, nodes: [element("b", {}, name), ...facts([price(of[0]), of.length > 1 ? `one piece of hardware, ${of.length} ways to use it` : ""])] }))]);
  return heads;
}

// "yes" where even the slow end of the interval keeps up, "no" where the fast end does not; and where one run in a hundred comes late.
function keepsUp(row, wanted, frames, point) {
  const time = row.times.end_to_end;
  if (!time) return null;
  const size = wantedSize(), measured = frameOf(point, row);
  if (size && !(measured && measured.width === size.width && measured.height === size.height)) {
    const pixels = measured && measured.width * measured.height / (size.width * size.height);
    return element("div", { class: "small soft" }, measured ? "not measured at that size" : "takes no frames", measured ? element("div", {}, `a guess by pixels: ${Number((frames / time.median * pixels).toPrecision(2))}/s`) : null);
  }
  const rate = frames / time.median, verdict = frames / time.high >= wanted ? "yes" : frames / time.low < wanted ? "no" : "on the edge";
  const late = verdict === "yes" && row.metrics.latency_p99_ms > 1e3 * frames / wanted;
  return element("div", { class: "small " + (verdict === "yes" ? "good" : verdict === "no" ? "bad" : "soft"), title: `${number(rate)} frames a second from end to end, one run after another` },
    `${wanted}/s: ${verdict}${sureOf(time)}, ${times(rate / wanted)}` + (late ? ", 1% late" : ""));
}

function answerCell(point, device, devices) {
  const index = point.rows[device];
  if (index === null) {
    const row = report.rows.find(row => row.case === point.case && row.device === device && JSON.stringify(row.grid) === JSON.stringify(point.grid));
    return { text: row ? row.outcome : "", class: "none", title: row ? row.reason || "" : "" };
  }
  const row = report.rows[index], speed = point.speed[device][asked.against], time = secondsIn(row, asked.span), other = asked.span === "end_to_end" ? row.times.device : row.times.end_to_end;
  const wanted = Number(asked.frames) > 0 ? Number(asked.frames) : caseOf(point.case).frames_a_second, frames = caseOf(point.case).frames || 1;
  const best = devices.length > 1 && devices.every(one => point.rows[one] === null || point.speed[device][one].high >= 1);
  const share = speed && forThePrice(speed, device);
  return { class: best ? "best" : "", title: wayOf(row), nodes: [
    speed && devices.length > 1 ? element("div", {}, times(speed.ratio)) : null,
    speed && device !== asked.against ? element("div", { class: "small soft" }, intervalIn(speed, times)) : null,
    element("div", { class: "small" }, linkTo(index, duration(time.median)), element("span", { class: "soft" }, time.low < time.high ? ` (${intervalIn(time, duration)})` : "")),
    other ? element("div", { class: "small soft" }, `${asked.span === "end_to_end" ? "device" : "end to end"} ${duration(other.median)}`) : null,
    wanted ? keepsUp(row, wanted, frames, point) : null, share ? element("div", { class: "small soft" }, share) : null] };
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
  const devices = piecesOf(report.devices.map((_, i) => i).filter(i => !hidden.has(labels[i]))).flatMap(([, of]) => of);
  if (!devices.includes(asked.against)) asked.against = baseOf(devices);
  const points = report.answer.spans[asked.span].points.filter(point => (!only.case || point.case === only.case) && point.rows.some((row, device) => row !== null && devices.includes(device)));
  if (!points.length) { section.append(element("p", { class: "soft" }, "Nothing was timed so: rows say why.")); return section; }
  const bar = element("div", { class: "controls" });
  if (devices.length > 1) bar.append(choice("times as fast as", devices.map(i => [String(i), labels[i]]), String(asked.against), value => { asked.against = Number(value); rebuild(); }));
  bar.append(choice("by", Object.entries(spans), asked.span, value => { asked.span = value; rebuild(); }));
  const wanted = element("input", { type: "number", min: "0", step: "any", placeholder: "the study's", value: asked.frames, "aria-label": "frames a second" });
  wanted.addEventListener("change", () => { asked.frames = wanted.value; rebuild(); });
  bar.append(element("label", {}, element("span", { class: "soft" }, "frames a second"), wanted));
  const size = element("input", { type: "text", placeholder: "as measured", value: asked.size, "aria-label": "pixels of a frame", title: "such as 1920 x 1080" });
  size.addEventListener("change", () => { asked.size = size.value.trim(); rebuild(); });
  bar.append(element("label", {}, element("span", { class: "soft" }, "of so many pixels"), size));
  section.append(bar);
  const asks = [devices.length > 1 ? `times as fast as ${labels[asked.against]}` : "", `by ${spans[asked.span]}`, asked.frames ? `${asked.frames} frames a second` : "", asked.size ? `frames of ${asked.size}` : ""];
  section.append(element("p", { class: "small printed" }, asks.filter(Boolean).join("; ")));   // paper has no controls
  const several = new Set(points.map(point => point.case)).size > 1;
  const header = () => headsOf(devices);
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
  if (asked.frames && !(Number(asked.frames) > 0)) section.append(element("p", { class: "small bad" }, `${asked.frames} frames a second are none: the study's are asked for.`));
  if (asked.size && !wantedSize()) section.append(element("p", { class: "small bad" }, `"${asked.size}" is no size of a frame: write it as 1920 x 1080.`));
  if (wantedSize()) section.append(element("p", { class: "small soft" }, "Sizes that were not measured cannot be answered from this page: small frames take longer than their pixels say, for launches and transfers, and transforms of other sizes may. ", element("code", {}, "parallax compare --job JOB"), " measures a job with your own frames on every device."));
  section.append(element("p", { class: "small soft" }, "Of each device its fastest row that agrees with the reference, bold the fastest and those that are not surely slower. × says how many times as fast as the chosen device; below it, and behind a time, the 95% interval, or with what confidence so few processes allow one. " +
    "The mean counts each case once; its interval is Student's of the logarithms: where it holds 1, the cases do not agree on who is faster. Frames a second are from host memory to host memory, one run after another: yes where the whole interval keeps up. A processor's upload and download are copies within its memory."));
  return section;
}
