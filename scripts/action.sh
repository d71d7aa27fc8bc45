#!/usr/bin/env bash
# The step of action.yml: audits $TABLE by $QUESTION, writes the results to $OUTPUT and to the
# summary of the step, and ends with the status of the audit.
set -uo pipefail

mkdir -p "$OUTPUT"
arguments=("$TABLE" --question "$QUESTION" --overwrite)
arguments+=(--junit "$OUTPUT/junit.xml" --report "$OUTPUT/summary.md")
arguments+=(--certificate "$OUTPUT/certificate.json")
[ -n "${GRAPH:-}" ] && arguments+=(--graph "$GRAPH")
[ "${STRICT:-false}" = true ] && arguments+=(--strict)

evenhand audit "${arguments[@]}"
status=$?
[ -f "$OUTPUT/summary.md" ] && cat "$OUTPUT/summary.md" >> "${GITHUB_STEP_SUMMARY:-/dev/null}"
echo "status=$status" >> "${GITHUB_OUTPUT:-/dev/null}"
[ "$status" = 3 ] && [ "${CANNOT_TELL:-fail}" = pass ] && exit 0
exit "$status"
