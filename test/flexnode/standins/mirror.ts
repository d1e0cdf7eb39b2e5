/**
 * A mirror of artifacts on loopback: tiny archives with the right member names; their programs are scripts that print the
 * version they were made with. It can fail in every way a file server fails.
 */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import {
  type ArtifactRequest,
  artifactKey,
  layoutPath,
  writeTar,
} from '../../../packages/chandler/src/flexnode/testing.ts';

export type Fault =
  /** 404 with a web page. */
  | 'missing'
  /** 200 with a web page: a login page, a captive portal. */
  | 'page'
  /** As long as the right file, another content. */
  | 'tampered'
  /** Whole as far as HTTP goes, but only the first half of the file. */
  | 'truncated'
  /** The connection ends in the middle. */
  | 'reset'
  /** One byte, then nothing. */
  | 'slow'
  /** 429 with Retry-After: 7. */
  | 'busy'
  /** 500. */
  | 'broken'
  /** Never 206. */
  | 'no-range'
  /** 206, but from the beginning. */
  | 'wrong-range'
  | { readonly redirect: string };

export interface MirrorRequest {
  readonly path: string;
  readonly range?: string;
  readonly ifRange?: string;
}

export interface Mirror {
  /** `http://127.0.0.1:41234`. */
  readonly url: string;
  readonly requests: MirrorRequest[];
  /** Hashes of everything on it, as `downloads.sha256` names them. */
  readonly sha256: Readonly<Record<string, string>>;
  /** The bytes of a file by its path in the layout. */
  file(path: string): Uint8Array;
  /** The next `times` requests (default: all) for paths that contain `part` fail so. */
  fail(part: string, fault: Fault, times?: number): void;
  /** Takes all faults back. */
  heal(): void;
  close(): Promise<void>;
}

export async function startMirror(artifacts: readonly ArtifactRequest[]): Promise<Mirror> {
  const files = new Map<string, Uint8Array>();
  const sha256: Record<string, string> = {};
  for (const request of artifacts) {
    const bytes = await artifactBytes(request);
    files.set(`/${layoutPath(request)}`, bytes);
    sha256[artifactKey(request)] = hashOf(bytes);
  }
  const requests: MirrorRequest[] = [];
  const faults: { part: string; fault: Fault; left: number }[] = [];
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://mirror').pathname;
    requests.push({ path, ...rangeOf(request) });
    const found = faults.find((each) => path.includes(each.part) && each.left > 0);
    if (found) found.left--;
    send(response, reply(request, content(path, files), found?.fault));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    sha256,
    file: (path) => files.get(`/${path}`)!,
    fail: (part, fault, times = Number.POSITIVE_INFINITY) => faults.unshift({ part, fault, left: times }),
    heal: () => faults.splice(0),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The file that the mirror has for it. */
export async function artifactBytes({ kind, version, architecture }: ArtifactRequest): Promise<Uint8Array> {
  const says = (line: string) => script(`${line} # ${architecture}`);
  switch (kind) {
    case 'runc':
      return says(`echo "runc version ${version}"`);
    case 'containerd':
      return archive([
        ['bin/containerd', says(`echo "containerd github.com/containerd/containerd v${version} 8fc6bcf"`)],
        ...(version.startsWith('1.') ? [['bin/containerd-shim', says('exit 0')] as const] : []),
        ['bin/containerd-shim-runc-v2', says('exit 0')],
        ['bin/containerd-stress', says('exit 0')],
        ['bin/ctr', says(`echo "ctr github.com/containerd/containerd v${version}"`)],
      ]);
    case 'cni-plugins':
      return archive([
        ...['bridge', 'host-local', 'loopback', 'portmap', 'bandwidth', 'host-device'].map(
          (name) => [`./${name}`, says(`echo "CNI ${name} plugin v${version}" >&2`)] as const,
        ),
        ['./LICENSE', Buffer.from('text\n')],
      ]);
    case 'kubelet':
    case 'kubectl':
    case 'kubeadm':
      return says(KUBERNETES[kind](version));
    case 'kubernetes-node':
      return archive([
        ...(['kubelet', 'kubectl', 'kubeadm'] as const).map(
          (name) => [`kubernetes/node/bin/${name}`, says(KUBERNETES[name](version))] as const,
        ),
        ['kubernetes/LICENSES', Buffer.from('text\n')],
      ]);
    case 'azcmagent':
      return Buffer.from(`!<arch>\nazcmagent ${version} ${architecture}\n`);
  }
}

// ---------------------------------------------------------------------------------------------------

const KUBERNETES = {
  kubelet: (version: string) => `echo "Kubernetes v${version}"`,
  kubectl: (version: string) => `echo "Client Version: v${version}"; echo "Kustomize Version: v5.5.0"`,
  kubeadm: (version: string) => `echo "v${version}"`,
};

/** Padded, so that a connection can end in the middle of it. */
function script(body: string): Uint8Array {
  return Buffer.from(`#!/bin/sh\n${body}\n${`# ${'-'.repeat(76)}\n`.repeat(40)}`);
}

async function archive(members: readonly (readonly [string, Uint8Array])[]): Promise<Uint8Array> {
  const entries = members.map(([path, bytes]) => ({ path, bytes: bytes.length, content: () => [bytes] }));
  const chunks: Uint8Array[] = [];
  for await (const chunk of writeTar(entries)) chunks.push(chunk);
  return gzipSync(Buffer.concat(chunks));
}

function content(path: string, files: ReadonlyMap<string, Uint8Array>): Uint8Array | undefined {
  const whole = files.get(path);
  if (whole !== undefined) return whole;
  const beside = files.get(path.replace(/\.sha256(?:sum)?$/, ''));
  if (beside !== undefined)
    return Buffer.from(
      `${hashOf(beside)}  ${path
        .split('/')
        .at(-1)!
        .replace(/\.sha256(?:sum)?$/, '')}\n`,
    );
  if (!path.endsWith('/runc.sha256sum')) return undefined;
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const lines = [...files]
    .filter(([name]) => name.startsWith(folder))
    .map(([name, bytes]) => `${hashOf(bytes)}  ${name.slice(folder.length)}\n`);
  return Buffer.from(`-----BEGIN PGP SIGNED MESSAGE-----\n${lines.join('')}`);
}

function rangeOf({ headers }: IncomingMessage): { range?: string; ifRange?: string } {
  const ifRange = headers['if-range'];
  return {
    ...(headers.range === undefined ? {} : { range: headers.range }),
    ...(typeof ifRange === 'string' ? { ifRange } : {}),
  };
}

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly breaksOff?: 'reset' | 'slow';
}

const PAGE = Buffer.from('<!DOCTYPE html>\n<html><body>Not what you wanted</body></html>\n');

function reply(request: IncomingMessage, bytes: Uint8Array | undefined, fault: Fault | undefined): Reply {
  if (typeof fault === 'object') return { status: 302, headers: { location: fault.redirect } };
  if (fault === 'busy') return { status: 429, headers: { 'retry-after': '7' } };
  if (fault === 'broken') return { status: 500, headers: {} };
  const html = { 'content-type': 'text/html' };
  if (fault === 'page') return { status: 200, headers: html, body: PAGE };
  if (bytes === undefined || fault === 'missing') return { status: 404, headers: html, body: PAGE };
  return fileReply(request, fault === 'tampered' ? bytes.map((byte) => byte ^ 1) : bytes, fault);
}

function fileReply(request: IncomingMessage, body: Uint8Array, fault: Fault | undefined): Reply {
  const tag = `"${hashOf(body).slice(0, 16)}"`;
  const headers = { etag: tag, 'content-type': 'application/octet-stream', 'accept-ranges': 'bytes' };
  if (fault === 'truncated') return { status: 200, headers, body: body.subarray(0, body.length >> 1) };
  const from = fault === 'no-range' ? 0 : startOf(request, tag);
  if (from > 0 && from >= body.length) return { status: 416, headers: {} };
  const start = fault === 'wrong-range' ? 0 : from;
  const contentRange = `bytes ${start}-${body.length - 1}/${body.length}`;
  return {
    status: from > 0 ? 206 : 200,
    headers: from > 0 ? { ...headers, 'content-range': contentRange } : headers,
    body: body.subarray(start),
    ...(fault === 'reset' || fault === 'slow' ? { breaksOff: fault } : {}),
  };
}

function send(
  response: ServerResponse,
  { status, headers, body = new Uint8Array(), breaksOff }: Reply,
): void {
  response.writeHead(status, { ...headers, 'content-length': String(body.length) });
  if (breaksOff === undefined) response.end(body);
  else if (breaksOff === 'slow') response.write(body.subarray(0, 1));
  else response.write(body.subarray(0, body.length >> 1), () => response.socket?.end());
}

/** A range is honoured only for the file that the asker already has the beginning of. */
function startOf({ headers }: IncomingMessage, tag: string): number {
  const asked = /^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1];
  const same = headers['if-range'] === undefined || headers['if-range'] === tag;
  return asked !== undefined && same ? Number(asked) : 0;
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
