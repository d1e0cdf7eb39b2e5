/** moto's server, on loopback and a free port. */
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endProcess, freePort } from '../cluster/control-plane/processes.ts';
import { MOTO_IMAGES } from './images.table.ts';
import type { InstalledMoto } from './install.ts';

export interface MotoServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** @throws when it does not answer in time, with the end of its log. */
export async function startMoto({ python, packages }: InstalledMoto): Promise<MotoServer> {
  const folder = mkdtempSync(join(tmpdir(), 'chandler-moto-'));
  const log = join(folder, 'moto.log');
  const images = join(folder, 'images.json');
  writeFileSync(images, JSON.stringify(MOTO_IMAGES));
  const port = await freePort();
  const output = openSync(log, 'w');
  const child = spawn(python, ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)], {
    stdio: ['ignore', output, output],
    env: { PATH: process.env['PATH'] ?? '', PYTHONPATH: packages, MOTO_AMIS_PATH: images },
  });
  closeSync(output);
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    await endProcess(child);
    rmSync(folder, { recursive: true, force: true });
  };
  const deadlineMs = Date.now() + READY_TIMEOUT_MS;
  while (!(await answers(url))) {
    if (child.exitCode === null && Date.now() < deadlineMs) {
      await sleep(100);
      continue;
    }
    const text = readFileSync(log, 'utf8').slice(-2000);
    await stop();
    throw new Error(`moto did not get ready: ${text}`);
  }
  return { url, stop };
}

// ---------------------------------------------------------------------------------------------------

const READY_TIMEOUT_MS = 60_000;

async function answers(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/moto-api/data.json`);
    await answer.text();
    return answer.ok;
  } catch {
    return false;
  }
}
