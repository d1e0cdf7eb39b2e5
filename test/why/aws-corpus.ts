/**
 * The corpus of AWS: files with lists of cases, each with what there is in the cluster and in AWS, and the answer that is
 * right. As on Azure, a case is put into a dump and asked about.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { virtualWorld } from '@chandler/kube/testing';
import { parse } from 'yaml';
import type { Evidence, ReadObject } from '../../packages/chandler/src/causes/index.ts';
import { cataloguePlanner } from '../../packages/chandler/src/cli/testing.ts';
import { awsDiagnosis } from '../../packages/chandler/src/cloud/aws/diagnosis.ts';
import {
  dumpReader,
  encodeDump,
  explain,
  gather,
  openDump,
  parseSubject,
} from '../../packages/chandler/src/diagnose/index.ts';
import { scrubber } from '../../packages/chandler/src/diagnose/testing.ts';

import { awsClaim, awsClass, awsController, awsNode, awsPool } from './aws-objects.ts';
import { asStrict, type CaseResult, type CorpusCase, dumpWith, judge } from './corpus.ts';
import { anEvent, aPod, NOW_MS } from './objects.ts';

const CLOUD = awsDiagnosis();
const scrubbed = scrubber(CLOUD.options.table);
const FOLDER = join(import.meta.dirname, 'corpus-aws');

/** With `aws` in place of `azure`: what AWS shows, without where it was read. */
export interface AwsCase extends Omit<CorpusCase, 'azure' | 'playground' | 'expect'> {
  /** A check of seed 003 that it shows: `S-51`. */
  readonly check?: string;
  readonly aws?: readonly (Record<string, unknown> & { readonly kind: string })[];
  readonly expect: CorpusCase['expect'] & {
    /** Ids of causes that are reported as well. */
    readonly also?: readonly string[];
    /** Ids of causes that must not be reported. */
    readonly not?: readonly string[];
  };
}

export function awsCorpus(): readonly AwsCase[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .flatMap((file) =>
      (parse(readFileSync(join(FOLDER, file), 'utf8')) as AwsCase[]).map((one) => ({ ...one, file })),
    );
}

export async function runAwsCase(one: AwsCase): Promise<CaseResult> {
  const world = virtualWorld({ startMs: NOW_MS });
  const dump = dumpWith(objectsOf(one).map(scrubbed), one.logs ?? {}, (one.aws ?? []).map(withReading));
  const reader = asStrict(dumpReader(openDump(encodeDump(dump, false))));
  const subject = parseSubject([one.ask]);
  if (typeof subject === 'string') throw new Error(`${one.title}: ${subject}`);
  const gathered = await gather(subject, {
    reader,
    cloud: CLOUD,
    planner: cataloguePlanner(world, reader, CLOUD),
  });
  if (gathered.state !== 'gathered')
    return { outcome: 'missed', explanation: undefined, complaint: gathered.message };
  const explanation = explain(gathered.subject, gathered.evidence, CLOUD);
  const result = judge(one as unknown as CorpusCase, explanation);
  const ids = explanation.also.map(({ id }) => id);
  const { also = [], not = [] } = one.expect;
  const complaints = [
    ...(result.complaint === '' ? [] : [result.complaint]),
    ...also.filter((id) => !ids.includes(id)).map((id) => `expected ${id} as well, found ${ids.join(', ')}`),
    ...not.filter((id) => ids.includes(id)).map((id) => `did not expect ${id}`),
  ];
  return { ...result, complaint: complaints.join('; ') };
}

// ---------------------------------------------------------------------------------------------------------------

function objectsOf(one: AwsCase): readonly ReadObject[] {
  return [
    ...awsController(one.controller),
    ...(one.class === null ? [] : [awsClass(one.class)]),
    ...(one.pool === null ? [] : [awsPool(one.pool)]),
    ...(one.pools ?? []).map((words) => awsPool(words)),
    ...(one.claims ?? []).map((words) => awsClaim(words)),
    ...(one.nodes ?? []).map((words) => awsNode(words)),
    ...(one.pods ?? []).map((words) => aPod(words)),
    ...(one.events ?? []).map((words, index) => anEvent(words, index)),
    ...(one.objects ?? []),
  ];
}

function withReading(record: Record<string, unknown> & { readonly kind: string }): Evidence {
  const name = String(record['name'] ?? record['claim'] ?? '');
  const type = String(record['type'] ?? record.kind);
  const isResource = record.kind === 'cloudResource';
  return {
    ...(isResource ? { found: true, facts: {} } : {}),
    ...record,
    reading: { from: 'aws', what: `${type} ${name}`, atMs: NOW_MS },
  } as unknown as Evidence;
}
