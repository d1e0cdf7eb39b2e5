/** Asks `why` on Azure through a reader that a test has made. */
import { virtualWorld } from '@chandler/kube/testing';
import type { ObjectReader } from '../../packages/chandler/src/causes/index.ts';
import { cataloguePlanner } from '../../packages/chandler/src/cli/testing.ts';
import { azureDiagnosis } from '../../packages/chandler/src/cloud/azure/index.ts';
import {
  type Explanation,
  explain,
  gather,
  parseSubject,
} from '../../packages/chandler/src/diagnose/index.ts';

import { NOW_MS } from './objects.ts';

const CLOUD = azureDiagnosis();

export async function askThrough(reader: ObjectReader, ask: string): Promise<Explanation> {
  const subject = parseSubject([ask]);
  if (typeof subject === 'string') throw new Error(subject);
  const planner = cataloguePlanner(virtualWorld({ startMs: NOW_MS }), reader, CLOUD);
  const gathered = await gather(subject, { reader, cloud: CLOUD, planner });
  if (gathered.state !== 'gathered') throw new Error(gathered.message);
  return explain(gathered.subject, gathered.evidence, CLOUD);
}
