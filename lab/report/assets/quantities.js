// Quantities of a row by name, and how they are called and written.
// A key of a list means that key of each of its elements.
const path = (object, keys) => keys.reduce((at, key) => at === undefined || at === null ? undefined : Array.isArray(at) ? at.map(one => one[key]) : at[key], object);

function baselineOf(item, row) {
  return report.rows.find(other => other.case === row.case && JSON.stringify(other.grid) === JSON.stringify(row.grid) && selected(item.baseline, other));
}

const speedUps = { speed_up: "compute_ms", speed_up_wall: "wall_ms", speed_up_end_to_end: "end_to_end_ms" };

function factor(row, name, item) {
  if (name === "variant") return row.way;
  if (name === "device") return deviceOf(row).label;
  if (name === "case") return row.case;
  if (name === "backend") return deviceOf(row).info.backend;
  if (name === "grid") return gridText(row.grid) || "-";
  if (name in row.grid) return row.grid[name];
  if (name in speedUps) {
    const base = item.baseline && baselineOf(item, row);
    const of = base && (base.metrics[speedUps[name]] ?? base.metrics.compute_ms), own = row.metrics[speedUps[name]] ?? row.metrics.compute_ms;
    return of && own ? of / own : undefined;
  }
  if (row.variables && name in row.variables) return row.variables[name];
  if (row.metrics && name in row.metrics) return row.metrics[name];
  const [kind, ...keys] = name.split(".");
  if (kind === "grid") return path(row.grid, keys);
  if (kind === "rates") return path(report.sessions[row.session].rates[deviceOf(row).label], keys);
  if (kind === "stage") { const stage = row.stages[keys.join(".")]; return stage && stage.median * 1e3; }
  if (kind === "evaluation") return path(row.evaluations, keys);
  if (kind === "record") return path(row.records, keys);
  return undefined;
}

// "rates.peak_gflops*rates.copy_gbs^0.38" is a product of powers; anything else is one quantity.
function quantity(row, name, item) {
  if (row.outcome !== "ok" && !["variant", "device", "case", "backend", "grid"].includes(name) && !(name in row.grid)) return undefined;
  if (!/[*^]/.test(name)) return factor(row, name, item);
  let product = 1;
  for (const part of name.split("*")) {
    const [one, power] = part.split("^");
    const value = factor(row, one, item);
    if (typeof value !== "number") return undefined;
    product *= Math.pow(value, power === undefined ? 1 : Number(power));
  }
  return product;
}

const names = {
  compute_ms: "time of the device, ms", device_ms: "time of the kernels, ms", wall_ms: "time from first launch to end, ms", end_to_end_ms: "from host memory to host memory, ms",
  host_ms: "host", upload_ms: "upload", download_ms: "download", run_ms: "run", speed_up: "speed-up", speed_up_end_to_end: "speed-up, end to end", speed_up_wall: "speed-up, wall clock",
  copy_share: "share of copy bandwidth", bandwidth_gbs: "GB/s", gflops: "GFLOP/s", joules_counted: "joules a run, by the counter", joules_integrated: "joules a run, by power", watts: "watts", intensity: "operations a byte", runs_a_second: "runs a second", latency_p50_ms: "median latency, ms", latency_p95_ms: "95th percentile, ms", latency_p99_ms: "99th percentile, ms", latency_p999_ms: "99.9th percentile, ms", first_compile_ms: "first compilation, ms",
  compile_cold_ms: "compilation, empty caches, ms", compile_cached_ms: "compilation, from cache, ms", memory_mb: "device memory, MB", memory_left_mb: "memory left, MB",
  sustained_runs_a_second: "sustained runs a second", sustained_p99_ms: "sustained 99th percentile, ms", variant: "variant", device: "device",
};

function nameOf(name, rows) {
  if (name === "rate" || name === "rate_end_to_end") return (rows[0] && rows[0].work.unit || "rate") + (name === "rate" ? "" : ", end to end");
  if (name === "device_ms" || name === "compute_ms") return names[name];
  return names[name] || name.replace(/^(rates|evaluation|record|grid|stage)\./, "").replace(/^(counts|quality)\./, "").replace(/_/g, " ");
}

// Whether values ask for a logarithmic axis: a linear one hides what is a fiftieth of the rest.
function spansDecades(values) {
  const numbers = values.filter(value => typeof value === "number");
  return numbers.length > 1 && Math.min(...numbers) > 0 && Math.max(...numbers) > 50 * Math.min(...numbers);
}
const isLog = (item, axis, values) => item.log !== undefined ? item.log.includes(axis) : spansDecades(values);

function number(value) {
  if (value === undefined || value === null) return "";
  if (typeof value !== "number") return text(value);
  if (!isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e7 || size < 1e-3)) return value.toExponential(2);
  if (Number.isInteger(value)) return String(value);
  return size >= 1000 ? value.toFixed(0) : value.toPrecision(size >= 100 ? 4 : 3);
}

const times = ratio => (ratio >= 100 ? ratio.toFixed(0) : ratio >= 10 ? ratio.toFixed(1) : ratio >= 0.1 ? ratio.toFixed(2) : ratio.toPrecision(2)) + "×";
// How sure an interval is where so few processes allow no 95%: ", 87.5%"; and what a column of intervals is called.
const sureOf = of => of.confidence === undefined ? "" : of.confidence > 0 ? `, ${Number((100 * of.confidence).toPrecision(4))}%` : ", one process";
const intervalsAre = list => list.some(of => of && of.confidence !== undefined) ? "interval, 95% where it says nothing" : "95% interval";
// Of a mean over cases: two or three that differ tell nothing of a fourth.
const intervalOver = mean => !(mean.low < mean.high) ? "" : mean.high / mean.low > 1000 ? `of ${mean.cases} cases that differ` : `${times(mean.low)} to ${times(mean.high)}${sureOf(mean)}`;
