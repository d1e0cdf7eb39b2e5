/** `chandler why value`: which source set a value, where it was seen on its path to an instance, and where it changed. */
import { escapeControls } from '../../causes/index.ts';
import { gather, valuePath, valuePathJson, valuePathText } from '../../diagnose/index.ts';
import { EXIT_OK, Failure } from '../verb.ts';
import type { Question, WhyRequest } from './question.ts';
import type { OpenSource } from './source.ts';

/** @throws {Failure} */
export async function answerValue(
  request: WhyRequest,
  { reader, cloud }: OpenSource,
  { name, nodeclaim }: Extract<Question, { kind: 'value' }>,
): Promise<number> {
  const path = cloud.valuePaths.find((each) => each.name === name);
  if (path === undefined) throw new Failure(`${cloud.title} has no value ${name}`);
  const gathered = await gather(
    { kind: 'nodeclaim', name: nodeclaim },
    { reader: reader(), cloud, expectsCustomerKey: true },
  );
  if (gathered.state !== 'gathered') throw new Failure(gathered.message);
  const report = valuePath(path, gathered.evidence, nodeclaim);
  const { terminal, json } = request;
  terminal.out(
    json ? `${JSON.stringify(valuePathJson(report), null, 2)}\n` : escapeControls(valuePathText(report)),
  );
  return report.loss === undefined ? EXIT_OK : request.failCode;
}
