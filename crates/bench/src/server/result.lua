-- One line that a program reads; durations are microseconds.
function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    "\nRESULT requests=%d duration=%d p50=%d p99=%d max=%d refused=%d broken=%d\n",
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), latency.max,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout
  ))
end
