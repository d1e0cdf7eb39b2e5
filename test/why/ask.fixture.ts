/** Asks `why` about objects, and on Azure through a reader that a test has made. */
import { virtualWorld } from '@chandler/kube/testing';
import type { ObjectReader, ReadObject } from '../../packages/chandler/src/causes/index.ts';
import { cataloguePlanner } from '../../packages/chandler/src/cli/testing.ts';
import { azureDiagnosis } from '../../packages/chandler/src/cloud/azure/index.ts';
import type { CloudDiagnosis } from '../../packages/chandler/src/cloud/index.ts';
import {
  dumpReader,
  type Explanation,
  encodeDump,
  explain,
  gather,
  openDump,
  parseSubject,
} from '../../packages/chandler/src/diagnose/index.ts';

import { dumpWith } from './corpus.ts';
import { NOW_MS } from './objects.ts';

const CLOUD = azureDiagnosis();

export async function askThrough(
  reader: ObjectReader,
  ask: string,
  cloud: CloudDiagnosis = CLOUD,
): Promise<Explanation> {
  const subject = parseSubject([ask]);
  if (typeof subject === 'string') throw new Error(subject);
  const planner = cataloguePlanner(virtualWorld({ startMs: NOW_MS }), reader, cloud);
  const gathered = await gather(subject, { reader, cloud, planner });
  if (gathered.state !== 'gathered') throw new Error(gathered.message);
  return explain(gathered.subject, gathered.evidence, cloud);
}

export async function askAbout(
  cloud: CloudDiagnosis,
  objects: readonly ReadObject[],
  ask: string,
): Promise<Explanation> {
  return askThrough(dumpReader(openDump(encodeDump(dumpWith(objects, {}, []), false))), ask, cloud);
}
