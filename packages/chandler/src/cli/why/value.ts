/** `chandler why value`: where a value was seen on its way into a machine, who named it, and where it changed. */
import type { EvidenceSet } from '../../causes/index.ts';
import { gather, type ValueWay, valueWay, valueWayJson, valueWayText } from '../../diagnose/index.ts';

import { EXIT_OK, Failure } from '../verb.ts';
import type { Question, WhyRequest } from './question.ts';
import type { OpenSource } from './source.ts';

/** @throws {Failure} */
export async function answerValue(
  request: WhyRequest,
  source: OpenSource,
  { nodeclaim }: Extract<Question, { kind: 'value' }>,
): Promise<number> {
  const gathered = await gather(
    { kind: 'nodeclaim', name: nodeclaim },
    { reader: source.reader(), azure: source.azure, expectsDiskEncryptionSet: true },
  );
  if (gathered.state !== 'gathered') throw new Failure(gathered.message);
  const evidence: EvidenceSet = gathered.evidence;
  const way: ValueWay = valueWay(evidence, nodeclaim);
  const { terminal, json } = request;
  terminal.out(json ? `${JSON.stringify(valueWayJson(way), null, 2)}\n` : valueWayText(way));
  return way.loss === undefined ? EXIT_OK : request.failCode;
}
