// The devices and every row, to look up what the figures are drawn of.
function deviceTable() {
  const last = label => [...report.sessions].reverse().find(session => session.rates[label] || (session.problems || {})[label]) || {};
  const clocks = label => report.rows.filter(row => row.clocks && deviceOf(row).label === label).map(row => row.clocks.sm_mhz).filter(Boolean);
  const range = list => !list.length ? "" : Math.min(...list) === Math.max(...list) ? String(list[0]) : `${Math.min(...list)} to ${Math.max(...list)}`;
  const known = labels.some(label => clocks(label).length);
  return table(["device", "vendor", "platform", "driver", "memory, GB", "copy, GB/s", "peak f32, GFLOP/s", "upload, GB/s", "download, GB/s", "launch, us", ...(known ? ["clock, MHz"] : [])], report.devices.map(({ label, info }) => {
    const session = last(label), rates = (session.rates || {})[label] || {}, problem = (session.problems || {})[label];
    return [problem ? { text: label, class: "bad", title: problem } : label, { text: info.vendor, class: "narrow" }, { text: info.platform, class: "narrow" }, { text: info.driver, class: "narrow" }, number(info.global_memory / 1e9), number(rates.copy_gbs), number(rates.peak_gflops), number(rates.upload_gbs), number(rates.download_gbs), number(rates.launch_us), ...(known ? [range(clocks(label))] : [])];
  }));
}

const noFault = outcome => ["ok", "refused", "too long", "left out"].includes(outcome);

function allRows() {
  const error = row => !row.agreement ? "" : row.agreement.exact ? "exact" : row.agreement.relative > 0 ? number(row.agreement.relative) : number(row.agreement.max_error);
  const interval = row => row.times && (row.times.device || row.times.wall) ? (of => of.low < of.high ? `${number(of.low * 1e3)} to ${number(of.high * 1e3)}${sureOf(of)}` : "too few runs")(row.times.device || row.times.wall) : "";
  const rows = shown(report.rows), reasons = rows.some(row => row.reason);
  const latencies = [["p50", "median"], ["p95", "95%"], ["p99", "99%"], ["p999", "99.9%"]].filter(([name]) => rows.some(row => row.metrics[`latency_${name}_ms`] !== undefined));
  const made = table(["", "case", "at", "variant", "device", "outcome", "error", "ULP, 99%", "kernels, ms", intervalsAre(rows.map(row => row.times && (row.times.device || row.times.wall))), "wall, ms", "end to end, ms", ...latencies.map(([, name]) => `latency ${name}, ms`), ...(reasons ? [wide("reason")] : [])], rows.map(row => {
    const index = report.rows.indexOf(row);
    return [{ id: `row-${index}`, nodes: [linkTo(index, "#")] }, row.case, gridText(row.grid), { text: row.way === "chosen" ? wayOf(row) : row.way }, deviceOf(row).label,
      { text: row.outcome + (throttledBy(row).length ? `, throttled by ${throttledBy(row).join(", ")}` : ""), class: noFault(row.outcome) && !throttledBy(row).length ? "" : "bad" }, error(row), row.agreement && !row.agreement.exact ? number(row.agreement.ulp.p99) : "", number(row.metrics.device_ms), interval(row), number(row.metrics.wall_ms), number(row.metrics.end_to_end_ms),
      ...latencies.map(([name]) => number(row.metrics[`latency_${name}_ms`])), ...(reasons ? [wide(row.reason || "")] : [])];
  }), 5);
  return made;
}

const wide = text => ({ text, class: "wide" });

// Whose choice each row's policy was: the study's, an entry's of the tuning files, or the variant's own. Points that share it are one line.
function allPolicies() {
  const lines = new Map();
  for (const row of shown(report.rows)) {
    if (!row.policy_from) continue;
    const policy = Object.entries(row.policy).map(([name, value]) => `${name} ${value}`).join(", ");
    const key = JSON.stringify([row.case, row.way, row.device, policy, row.policy_from]);
    if (!lines.has(key)) lines.set(key, { row, policy, at: [] });
    lines.get(key).at.push(gridText(row.grid));
  }
  return [...lines.values()].map(({ row, policy, at }) => [row.case, row.way, deviceOf(row).label, wide(policy), wide(row.policy_from), wide(at.filter(Boolean).join("; "))]);
}
