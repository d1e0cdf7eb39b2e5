/** A cluster of EKS that can be asked everything: a simulated AWS, and an embedded API server. */
import type { AwsServerOptions } from '@chandler/cloudsim/aws';
import { type TestAws, testAws } from '@chandler/cloudsim/aws/testing';
import type { Clock, KubeClient, World } from '@chandler/kube';
import { awsCallsOf } from '../aws-calls.fixture.ts';
import { GOOD_ENV, resolveAws } from '../options/options.fixture.ts';
import { type AwsCalls, RegionSource } from '../wire/index.ts';
import { AwsClusterDetector } from './detector.ts';
import { type AwsClusterReaders, awsClusterReaders } from './readers.ts';

/** Self-signed, made once with openssl for CN=cluster-ca, valid to 2126. */
export const CA_PEM = `-----BEGIN CERTIFICATE-----
MIIBgjCCASegAwIBAgIUHfWSKkouODtdIbc7XKaw8xtXmJIwCgYIKoZIzj0EAwIw
FTETMBEGA1UEAwwKY2x1c3Rlci1jYTAgFw0yNjExMTYyMDA3NDlaGA8yMTI2MTAy
MzIwMDc0OVowFTETMBEGA1UEAwwKY2x1c3Rlci1jYTBZMBMGByqGSM49AgEGCCqG
SM49AwEHA0IABLhw4JkeSameq2BPcPzG5xcR00EUC14jfQiqKWacdNxa7nL0QLMT
KM+0sWMdZPbnvbV7R1goOBQ2pFcxNuauF++jUzBRMB0GA1UdDgQWBBQZloMGsn0x
iguXBm0yKTlTKvuymjAfBgNVHSMEGDAWgBQZloMGsn0xiguXBm0yKTlTKvuymjAP
BgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0kAMEYCIQDRHDbuIy4ORkWvIhEm
jaTS9nAqDdUVj2dTdEFSQroTUwIhAMXgt/LoIuK3WBB7N5Vgkk+3J6qEUtxHTXbW
H8wkNMdD
-----END CERTIFICATE-----
`;

export interface TestCluster {
  readonly aws: TestAws;
  readonly calls: AwsCalls;
  readonly readers: AwsClusterReaders;
  readonly detector: AwsClusterDetector;
}

export interface TestClusterOptions {
  readonly client: KubeClient;
  readonly env?: Readonly<Record<string, string>>;
  readonly server?: Partial<AwsServerOptions>;
  readonly clusterCaPem?: string | undefined;
  /** Added to the clock of the controller. */
  readonly skewMs?: number;
}

export async function testCluster(options: TestClusterOptions): Promise<TestCluster> {
  const { client, env = {}, server, clusterCaPem, skewMs = 0 } = options;
  const aws = await testAws({ clusterName: 'my-cluster', ...server });
  aws.server.cluster.certificateAuthority = Buffer.from(CA_PEM).toString('base64');
  const { values, problems } = resolveAws({ env: { ...GOOD_ENV, ...env } });
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  const world: World = { ...aws.world, clock: skewed(aws.world.clock, skewMs) };
  const calls = awsCallsOf(aws, { world });
  const region = new RegionSource({ region: values.awsRegion, metadata: undefined });
  const readers = awsClusterReaders({ calls, region, client, clusterCaPem });
  const detector = new AwsClusterDetector({ world, readers, options: () => values });
  return { aws, calls, readers, detector };
}

function skewed(clock: Clock, skewMs: number): Clock {
  return {
    now: () => clock.now() + skewMs,
    monotonic: () => clock.monotonic(),
    after: (delayMs, task) => clock.after(delayMs, task),
    sleep: (delayMs, signal) => clock.sleep(delayMs, signal),
  };
}
