/** The official SDK clients of one simulated AWS, over HTTP on loopback. They do not retry, so that a test sees every answer. */
import { EC2Client } from '@aws-sdk/client-ec2';
import { EKSClient } from '@aws-sdk/client-eks';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { IAMClient } from '@aws-sdk/client-iam';
import { PricingClient } from '@aws-sdk/client-pricing';
import { SQSClient } from '@aws-sdk/client-sqs';
import { SSMClient } from '@aws-sdk/client-ssm';
import { STSClient } from '@aws-sdk/client-sts';
import { realTimeWorld } from '@chandler/kube/testing';
import { type AwsServer, type AwsServerOptions, startAwsServer } from './aws-server.ts';
import type { AccessKey } from './wire/authentication.ts';

export interface SdkClients {
  readonly ec2: EC2Client;
  readonly ssm: SSMClient;
  readonly iam: IAMClient;
  readonly eks: EKSClient;
  readonly events: EventBridgeClient;
  readonly sqs: SQSClient;
  readonly sts: STSClient;
  readonly pricing: PricingClient;
  destroy(): void;
}

export function sdkClients(server: AwsServer, key: AccessKey = server.credentials): SdkClients {
  const { accessKeyId, secretAccessKey, sessionToken } = key;
  const config = {
    endpoint: server.url,
    region: server.settings.region,
    maxAttempts: 1,
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
  };
  const clients = {
    ec2: new EC2Client(config),
    ssm: new SSMClient(config),
    iam: new IAMClient(config),
    eks: new EKSClient(config),
    events: new EventBridgeClient(config),
    sqs: new SQSClient(config),
    sts: new STSClient(config),
    pricing: new PricingClient(config),
  };
  return {
    ...clients,
    destroy() {
      for (const client of Object.values(clients)) client.destroy();
    },
  };
}

export interface SdkAws extends SdkClients {
  readonly server: AwsServer;
  close(): Promise<void>;
}

/** A server that listens, and its clients. Fresh instances are visible at once. */
export async function sdkAws(options: Partial<AwsServerOptions> = {}): Promise<SdkAws> {
  const server = await startAwsServer({
    world: realTimeWorld(),
    latencies: { consistencyMs: 0, pendingMs: 0, shuttingDownMs: 0, eventMs: 0 },
    ...options,
  });
  const clients = sdkClients(server);
  return {
    ...clients,
    server,
    async close() {
      clients.destroy();
      await server.close();
    },
  };
}

/** The name and the message of the error that a call is rejected with. */
export async function refusal(
  call: Promise<unknown>,
): Promise<{ readonly name: string; readonly message: string }> {
  try {
    await call;
  } catch (error) {
    const { name, message } = error as Error;
    return { name, message };
  }
  throw new Error('the call was not rejected');
}
