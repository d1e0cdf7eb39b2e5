/**
 * Compares the rows of `test/cluster/crds` with upstream's own CRDs: what Chandler rejects, upstream must reject as well,
 * unless `stricter.table.ts` says why not. The CRDs come from the Go modules of the suites.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiServer, startApiServer } from '@chandler/apiserver';
import type { KubeObject } from '@chandler/kube';
import { realTimeWorld } from '@chandler/kube/testing';
import { parse } from 'yaml';
import { collectionPath, readCaseFiles, type Send, tryCase } from '../cluster/crds/cases.ts';
import { STRICTER } from './stricter.table.ts';

export interface Comparison {
  /** How many rows that Chandler rejects were tried. */
  readonly compared: number;
  readonly problems: readonly string[];
}

/** @param folders with CRDs as YAML; a later folder replaces no kind of an earlier one. */
export async function compareWithUpstream(folders: readonly string[]): Promise<Comparison> {
  const crds = new Map<string, KubeObject>();
  for (const crd of folders.flatMap(readCrds))
    if (!crds.has(crd.metadata.name!)) crds.set(crd.metadata.name!, crd);
  const server = await startApiServer({ world: realTimeWorld(), initialObjects: [...crds.values()] });
  try {
    return await compare(sender(server), [...crds.keys()]);
  } finally {
    await server.close();
  }
}

// ---------------------------------------------------------------------------------------------------

async function compare(send: Send, kinds: readonly string[]): Promise<Comparison> {
  const problems: string[] = [];
  const accepted = new Set<string>();
  let compared = 0;
  for (const { file, base, cases } of readCaseFiles()) {
    const collection = collectionPath(base);
    const [, , group, , plural] = collection.replace(/namespaces\/[^/]+\//, '').split('/');
    if (!kinds.includes(`${plural}.${group}`)) continue;
    while ((await send('GET', collection)).code !== 200) await sleep(50);
    for (const [index, row] of cases.entries()) {
      if (row.refused === undefined) continue;
      compared++;
      const { code } = await tryCase(send, base, row, `row-${index}`);
      if (code >= 300) continue;
      accepted.add(row.name);
      if (!(row.name in STRICTER))
        problems.push(`upstream accepts what Chandler rejects: ${file}: ${row.name}`);
    }
  }
  for (const name of Object.keys(STRICTER))
    if (!accepted.has(name))
      problems.push(`stricter.table.ts: upstream rejects "${name}" too, or no row has it`);
  return { compared, problems };
}

function readCrds(folder: string): KubeObject[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => parse(readFileSync(join(folder, name), 'utf8')) as KubeObject);
}

function sender(server: ApiServer): Send {
  return async (method, path, body) => {
    const answer = await server.adminFetch(`https://embedded.invalid${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { code: answer.status, warning: '', body: (await answer.json()) as KubeObject };
  };
}
