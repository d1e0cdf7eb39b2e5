/** A day of calls, in virtual time, with credentials that expire every hour and an AWS that fails in every way it can. */
import { type TestAws, testAws } from '@chandler/cloudsim/aws/testing';
import { afterEach, expect, test } from 'vitest';
import { awsCallsOf } from '../aws-calls.fixture.ts';
import { AwsError, BAD_ANSWER, HELD_BACK, NO_ANSWER } from '../errors/index.ts';
import type { AwsCalls } from './calls.ts';
import type { AwsCredentialSource } from './credential-source.ts';

const MINUTE_MS = 60_000;
const FAULTS = [
  'throttle',
  'lost-request',
  'lost-response',
  '500',
  '503',
  'late-500',
  'truncated',
  'wrong-content',
  'expired-token',
  'forbidden',
  'timeout=90000',
  'slow=20000',
];

/** What may come of these faults; anything else is a bug. */
const EXPECTED: ReadonlySet<string> = new Set([
  NO_ANSWER,
  BAD_ANSWER,
  HELD_BACK,
  'RequestLimitExceeded',
  'Throttling',
  'ThrottlingException',
  'InternalError',
  'InternalFailure',
  'InternalServerError',
  'Unavailable',
  'ServiceUnavailable',
  'RequestExpired',
  'ExpiredToken',
  'ExpiredTokenException',
  'UnauthorizedOperation',
  'AccessDenied',
  'AccessDeniedException',
]);

let aws: TestAws;

afterEach(() => aws.close());

/** Sessions of an hour; AWS refuses them afterwards. */
function sessions(): AwsCredentialSource & { issued: number } {
  let current = aws.server.assume('KarpenterControllerRole');
  const source = {
    issued: 1,
    async get() {
      if (current.expiresAtMs! - aws.world.clock.now() < 5 * MINUTE_MS) source.invalidate();
      return current;
    },
    invalidate() {
      current = aws.server.assume('KarpenterControllerRole');
      source.issued += 1;
    },
  };
  return source;
}

function everyService(calls: AwsCalls): Promise<unknown>[] {
  const options = { signal: new AbortController().signal };
  return [
    calls.ec2.describeSubnets({}, options),
    calls.ec2.describeInstances({}, options),
    calls.eks.describeCluster({ name: 'playground' }, options),
    calls.iam.listInstanceProfiles({}, options),
    calls.pricing.getProducts({ ServiceCode: 'AmazonEC2', MaxResults: 1 }, options),
    calls.sqs.getQueueUrl({ QueueName: 'playground' }, options),
    calls.sts.getCallerIdentity({}, options),
  ];
}

test('every call ends, with an answer or an error of AWS, and all is well when AWS is', async () => {
  aws = await testAws();
  const { clock, random } = aws.world;
  const credentials = sessions();
  const calls = awsCallsOf(aws, { credentials });
  const codes = new Map<string, number>();
  let answers = 0;
  for (let round = 0; round < 36; round++) {
    aws.server.faults.clear();
    const fault = FAULTS[Math.floor(random.next() * FAULTS.length)]!;
    aws.server.faults.add(`${fault}@rate=0.6`);
    const ended = Promise.all(
      everyService(calls).map((call) =>
        call.then(
          () => {
            answers += 1;
          },
          (error: unknown) => {
            expect(error).toBeInstanceOf(AwsError);
            const { code } = error as AwsError;
            expect(EXPECTED, `${code}: ${(error as AwsError).message}`).toContain(code);
            codes.set(code, (codes.get(code) ?? 0) + 1);
          },
        ),
      ),
    );
    await clock.advance(40 * MINUTE_MS);
    await ended;
  }
  expect(answers).toBeGreaterThan(50);
  expect(codes.size, [...codes].join(' ')).toBeGreaterThan(8);
  expect(credentials.issued).toBeGreaterThanOrEqual(20);
  aws.server.faults.clear();
  await clock.advance(2 * MINUTE_MS);
  await Promise.all(everyService(calls));
});
