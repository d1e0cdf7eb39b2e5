/** An official client in virtual time: its requests go through the in-process fetch, and it signs at the world's time. */
import { DescribeSubnetsCommand, EC2Client } from '@aws-sdk/client-ec2';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type TestAws, testAws } from './aws.fixture.ts';
import { refusal } from './sdk.fixture.ts';

/** What the SDKs give to a request handler, as far as it is read here. */
interface SdkRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

let aws: TestAws;

beforeEach(async () => {
  aws = await testAws();
});

afterEach(() => aws.close());

function clientAt(nowMs: number): EC2Client {
  const { accessKeyId, secretAccessKey } = aws.server.credentials;
  const handle = async (given: unknown) => {
    const { method, path, headers, body } = given as SdkRequest;
    const response = await aws.server.fetch(`http://${headers['host']}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
    });
    const answer = {
      statusCode: response.status,
      headers: Object.fromEntries(response.headers),
      body: new Uint8Array(await response.arrayBuffer()),
    };
    return { response: answer as never };
  };
  return new EC2Client({
    region: 'us-west-2',
    maxAttempts: 1,
    credentials: { accessKeyId, secretAccessKey },
    requestHandler: { handle },
    systemClockOffset: nowMs - Date.now(),
  });
}

test('a client that signs at virtual time is answered, a month later too', async () => {
  await aws.world.clock.advance(30 * 86_400_000);
  const { Subnets } = await clientAt(aws.world.clock.now()).send(new DescribeSubnetsCommand({}));
  expect(Subnets).toHaveLength(3);
});

test('a client that signs at another time is refused', async () => {
  const client = clientAt(aws.world.clock.now() + 3_600_000);
  expect((await refusal(client.send(new DescribeSubnetsCommand({})))).name).toBe('AuthFailure');
});
