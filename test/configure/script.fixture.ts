/** Runs a script that `configure` wrote with a command line of the cloud that answers as the test says, and pauses that take no time. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface ScriptTool {
  /** `az`. */
  readonly tool: string;
  /** Of a `case` of the shell over the first three arguments. */
  readonly cases: readonly string[];
}

/** The calls are the first three arguments of each. */
export function runScript(script: string, { tool, cases }: ScriptTool) {
  const folder = mkdtempSync(join(tmpdir(), 'configure-script-'));
  try {
    const lines = [
      '#!/bin/sh',
      'echo "$1 $2 $3" >>"$FOLDER/calls"',
      'case "$1 $2 $3" in',
      ...cases,
      '*) echo some-id ;;',
      'esac',
    ];
    writeFileSync(join(folder, tool), `${lines.join('\n')}\n`, { mode: 0o755 });
    writeFileSync(join(folder, 'sleep'), '#!/bin/sh\n', { mode: 0o755 });
    const { status } = spawnSync('sh', ['-c', script], {
      env: { PATH: `${folder}:${process.env['PATH']}`, FOLDER: folder },
    });
    return { status, calls: readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
