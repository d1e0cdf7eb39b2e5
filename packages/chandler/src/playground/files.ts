/** The files of a playground: the kubeconfig, and next to it a folder for a controller. All are removed at the end. */
import { access, constants, readFile, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { writeKubeconfig } from '@chandler/apiserver';
import type { Fetch } from '@chandler/kube';
import type { Environment } from '../settings/index.ts';
import type { CloudFiles, PlaygroundCloud } from './clouds/playground-cloud.ts';
import { namespaceOf } from './controller-account.ts';
import type { Playground } from './playground.ts';
import { PlaygroundError } from './playground-error.ts';

export interface PlaygroundFiles {
  readonly kubeconfig: string;
  /** One for each cloud. */
  readonly clouds: readonly ControllerFolder[];
}

/** What a controller on one cloud needs, and what it writes. */
export interface ControllerFolder {
  readonly cloud: PlaygroundCloud;
  readonly files: CloudFiles;
  /** Where the controller inside writes its log. */
  readonly log: string;
}

export function defaultKubeconfig(env: Environment): string {
  const wanted = env['XDG_CACHE_HOME'];
  const cache = wanted ? wanted : join(env['HOME'] || homedir(), '.cache');
  return join(cache, 'chandler', 'playground', 'kubeconfig');
}

/** @throws {PlaygroundError} that names the file. */
export async function writeFiles(running: Playground, kubeconfig: string): Promise<PlaygroundFiles> {
  const clouds: ControllerFolder[] = [];
  try {
    await writeKubeconfig(kubeconfig, running.server.kubeconfig);
    const { url } = running;
    for (const cloud of url === undefined ? [] : running.clouds) {
      // Next to the kubeconfig and named after it, so that two playgrounds do not share a folder.
      const folder = `${kubeconfig}-${cloud.name}`;
      const namespace = namespaceOf(running.clouds, cloud);
      const files = await cloud.writeFiles(folder, { serverUrl: url!, kubeconfig, namespace });
      clouds.push({ cloud, files, log: join(folder, 'controller.log') });
    }
    return { kubeconfig, clouds };
  } catch (error) {
    // They hold secrets of a playground that will not run.
    await removeFiles({ kubeconfig, clouds }, running.server.kubeconfig);
    throw writeFailure(error, kubeconfig);
  }
}

/** Files that another playground has written meanwhile are kept. */
export async function removeFiles({ kubeconfig, clouds }: PlaygroundFiles, content: string): Promise<void> {
  const now = await readFile(kubeconfig, 'utf8').catch(() => undefined);
  if (now !== content) return;
  await rm(kubeconfig, { force: true });
  for (const { files, log } of clouds) {
    await rm(log, { force: true });
    await files.remove();
  }
}

/** Checks at the start that the file can be written at the end. @throws {PlaygroundError} */
export async function mustBeWritable(file: string): Promise<void> {
  try {
    // The dot also detects a plain file in place of the folder.
    await access(`${dirname(file)}/.`, constants.W_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new PlaygroundError(`${file} cannot be written (${code}); name another file with --snapshot`);
  }
}

/** Does not overwrite the kubeconfig of a running playground. @throws {PlaygroundError} */
export async function refuseToReplaceRunning(file: string, send: Fetch): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const server = /^\s*server: ["']?(https:\/\/(?:127\.|localhost|\[::1\])[^\s"']*)/m.exec(text)?.[1];
  if (server === undefined || !(await answers(server, send))) return;
  throw new PlaygroundError(
    `another playground (${server}) is running and uses ${file}; stop it, or name another file with --write-kubeconfig`,
  );
}

// ---------------------------------------------------------------------------------------------------

/** Its certificate is self-signed, so a certificate error shows that it is running. */
async function answers(server: string, send: Fetch): Promise<boolean> {
  try {
    await send(`${server}/healthz`);
    return true;
  } catch (error) {
    const { cause } = error as { cause?: { code?: string } };
    return /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/.test(cause?.code ?? '');
  }
}

function writeFailure(error: unknown, file: string): unknown {
  if (!(error instanceof Error)) return error;
  if (error.name === 'ForeignKubeconfigError') {
    return new PlaygroundError(
      `${file} exists and was not written by a playground, and is not overwritten; name another file with --write-kubeconfig`,
    );
  }
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) return error;
  return new PlaygroundError(
    `${file} cannot be written (${code}); name another file with --write-kubeconfig`,
  );
}
