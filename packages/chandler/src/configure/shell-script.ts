/** Parts of scripts for the command line of a cloud. */

/** A function `retry`. @param cloud as people call it. */
export function retryLines(cloud: string): readonly string[] {
  return [
    `# ${cloud} may not know what was created a moment ago: tries again for up to three minutes.`,
    'retry() {',
    '  attempt=1',
    '  until "$@"; do',
    '    [ "$attempt" -lt 12 ] || return 1',
    '    attempt=$((attempt + 1))',
    '    echo "trying again in 15 seconds" >&2',
    '    sleep 15',
    '  done',
    '}',
  ];
}

/** One part on each line. */
export function command(name: string, parts: readonly string[]): string {
  return `${name} \\\n  ${parts.join(' \\\n  ')}`;
}
