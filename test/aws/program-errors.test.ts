/** A bug while EC2 is called is not taken for an answer of EC2: it is thrown as it is, from whatever call. */
import { neverAborted, PROGRAM_ERRORS, throwAtCall } from '@chandler/kube/testing';
import { afterEach, expect, test } from 'vitest';
import { type AwsCloudFixture, aClaim, awsCloud, removeClaim, settleOne } from './aws-cloud.fixture.ts';

let open: AwsCloudFixture | undefined;

afterEach(async () => {
  await open?.close();
  open = undefined;
});

/** A launch, its drift, its list, its deletion, and the end of its templates. */
async function life(
  call: number,
  error?: Error,
): Promise<{ readonly calls: number; readonly threw: boolean }> {
  const fixture = await awsCloud({ server: { catalogue: { types: ['m5.large'] } } });
  open = fixture;
  let wrapped: ReturnType<typeof throwAtCall> | undefined;
  const { cloud } = fixture.startProcess({
    around: (calls) => {
      const thrown = throwAtCall(calls.ec2, call, error);
      wrapped = thrown;
      return { ...calls, ec2: thrown.it };
    },
  });
  const claim = aClaim('a');
  const nodeClass = fixture.nodeClass();
  try {
    const { instance } = await settleOne(fixture, cloud, claim, nodeClass);
    const named = { ...claim, status: { providerID: instance.providerID } };
    await cloud.drift({ claim: named, nodeClass }, neverAborted());
    await cloud.get(instance.providerID, neverAborted());
    await cloud.list(neverAborted());
    await cloud.reboot(named, 'one', neverAborted());
    await removeClaim(fixture, cloud, named);
    await fixture.clock.advance(61_000);
    await cloud.collectTemplates(neverAborted());
    return { calls: wrapped!.calls(), threw: wrapped!.threw() };
  } finally {
    await fixture.close();
  }
}

test('from any call of the life of an instance', async () => {
  const { calls } = await life(-1);
  expect(calls).toBeGreaterThan(10);
  for (let call = 0; call < calls; call += 1) {
    const error = PROGRAM_ERRORS[call % PROGRAM_ERRORS.length]!;
    await expect(life(call, error), `call ${call}`).rejects.toBe(error);
  }
});
