/**
 * Programs onto the machine: from a verified file to a path, whole or not at all, and the question which version lies
 * there. A version is compared as a version, never as a piece of text.
 */
import type { VerifiedFile } from '../artifacts/artifacts.ts';
import { sha256Of } from '../artifacts/download.ts';
import { readTar } from '../artifacts/tar.ts';
import { FlexError } from '../flex-error.ts';
import type { Host } from '../host/host.ts';
import { compareVersions, parseVersion, printedVersion } from '../kubelet/version.ts';
import type { StepContext } from '../step.ts';

export interface Program {
  readonly path: string;
  /** What makes it say its version. */
  readonly asks: readonly string[];
}

export const PROGRAM_MODE = 0o755;

/** What the program says of itself; `undefined` when it is not there, does not run or says nothing. */
export async function versionThere(host: Host, program: Program): Promise<string | undefined> {
  const info = await host.lstat(program.path);
  if (info === undefined) return undefined;
  const result = await host.run({
    argv: [program.path, ...program.asks],
    changes: false,
    timeoutMs: 30_000,
  });
  return result.exitCode === 0 ? printedVersion(`${result.stdout}\n${result.stderr}`) : undefined;
}

/** A build's own suffix (`+unknown`) makes no other version; `1.1.1` is not `1.1.12`. */
export function isVersion(said: string | undefined, wanted: string): boolean {
  const one = said === undefined ? undefined : parseVersion(said);
  const other = parseVersion(wanted);
  return one !== undefined && other !== undefined && compareVersions(one, other) === 0;
}

export async function isInstalled(host: Host, program: Program, version: string): Promise<boolean> {
  if (!(await isProgram(host, program.path))) return false;
  return isVersion(await versionThere(host, program), version);
}

/** A build of one's own may say no version: then its presence is enough. */
export async function maySayVersion(host: Host, program: Program, version: string): Promise<boolean> {
  const said = await versionThere(host, program);
  return said === undefined || isVersion(said, version);
}

export async function isProgram(host: Host, path: string): Promise<boolean> {
  const info = await host.lstat(path);
  return info?.kind === 'file' && info.size > 0 && (info.mode & 0o111) === 0o111;
}

/** After the installation: the installed version must be the requested one. A dry run installs nothing. */
export async function confirmVersion(context: StepContext, program: Program, version: string): Promise<void> {
  if (context.dryRun) return;
  const said = await versionThere(context.host, program);
  if (isVersion(said, version)) return;
  throw new FlexError({
    class: 'step',
    code: 'program.wrong-version',
    where: program.path,
    message: `${program.path} was installed as version ${version}, but reports ${said ?? 'no version'}`,
    remedy: `Run \`${[program.path, ...program.asks].join(' ')}\`. It may be built for another architecture.`,
  });
}

/** The file's bytes, hashed once more: between the verifying and now somebody may have been at it. */
export async function readVerified(host: Host, file: VerifiedFile): Promise<Uint8Array> {
  const bytes = await host.readFile(file.path);
  if (bytes !== undefined && sha256Of(bytes) === file.sha256) return bytes;
  throw new FlexError({
    class: 'step',
    code: 'download.changed',
    where: file.path,
    message: `${file.path} ${bytes === undefined ? 'no longer exists' : 'was modified after its verification'}`,
    remedy: 'Run bootstrap again. It downloads the file again.',
  });
}

/** What a dry run shows in place of a program that it did not fetch. */
export function notFetched(file: VerifiedFile, member: string): string {
  return `program ${member} of ${file.from}, sha256 ${file.sha256 || 'as published'}\n`;
}

export interface WantedMember {
  /** In the archive. */
  readonly member: string;
  /** On the machine. */
  readonly path: string;
  /** Not in every version of the archive. */
  readonly optional?: boolean;
}

/**
 * All wanted members are in memory before the first is written: half an archive installs nothing. They are written from the
 * last to the first, whose versions together stand for all: a run that is killed in between is repeated.
 */
export async function installMembers(
  context: StepContext,
  file: VerifiedFile,
  wanted: readonly WantedMember[],
): Promise<void> {
  const { host } = context;
  if (context.dryRun) {
    for (const { member, path } of wanted) {
      await host.writeFile(path, notFetched(file, member), { mode: PROGRAM_MODE });
    }
    return;
  }
  const byMember = new Map(wanted.map((one) => [one.member, one]));
  const found = new Map<string, Uint8Array>();
  const archive = [await readVerified(host, file)];
  const wants = (path: string) => byMember.has(path);
  for await (const member of readTar(archive, { gzip: true, what: file.from, wants })) {
    found.set(member.path, member.content);
  }
  const missing = wanted.find((one) => one.optional !== true && !found.has(one.member));
  if (missing !== undefined) {
    throw new FlexError({
      class: 'step',
      code: 'archive.incomplete',
      where: file.from,
      message: `the archive ${file.from} does not contain ${missing.member}`,
      remedy: 'Check the version and the URL in the config.',
    });
  }
  for (const { member, path } of wanted.toReversed()) {
    const content = found.get(member);
    if (content !== undefined) await host.writeFile(path, content, { mode: PROGRAM_MODE });
  }
}

/** A file that should be there with exactly this content and these permissions. */
export interface WantedFile {
  readonly path: string;
  readonly content: string;
  readonly mode: number;
}

export async function isAsWanted(host: Host, file: WantedFile): Promise<boolean> {
  const info = await host.lstat(file.path);
  if (info?.kind !== 'file' || info.mode !== file.mode) return false;
  const bytes = await host.readFile(file.path);
  return bytes !== undefined && new TextDecoder().decode(bytes) === file.content;
}
