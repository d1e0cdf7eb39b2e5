/**
 * A simulated AWS that the pods reach: instances that join as nodes, and a role that trusts the ServiceAccount of the release (IRSA).
 * It enforces the IAM policies of docs/iam.md.
 */
import { CONTROLLER_ROLE, controllerEnvironment, type RunningAws, startAws } from '@chandler/cloudsim/aws';
import type { KubeObject } from '@chandler/kube';
import { ownPolicy } from '../../packages/chandler/src/cloud/aws/testing.ts';
import { PLACE, POLICY } from '../aws/controller-policy.ts';
import { ec2NodeClass, spotPool } from '../e2e/aws-story.ts';
import { CONTROLLER_USER } from '../e2e/roles.ts';
import { ISSUER, issuerOf, startKubelets } from './cloud-environment.ts';
import type { InstallCluster } from './cluster.ts';
import { type InstallCloud, identityToken, valuesOf } from './install-cloud.ts';

export async function startInstallAws(cluster: InstallCluster): Promise<InstallCloud> {
  const { kubelets, environment } = await startKubelets(cluster);
  const issuer = { ...issuerOf(cluster), audiences: [AUDIENCE] };
  const aws = await startAws(environment, {
    // Slow enough that a leader ends in the middle of a launch.
    bootTimeMs: 8_000,
    server: { oidcIssuer: ISSUER, identityProviders: [issuer], policies: [POLICY, ownPolicy(PLACE)] },
  });
  const role = aws.server.account.roles.get(CONTROLLER_ROLE)!;
  role.trust = TRUST;
  return {
    name: 'aws',
    values: valuesFor(aws, cluster, role.arn),
    objects: [],
    nodeClass: ec2NodeClass('default', aws.server),
    nodePool: quietPool(),
    instances: () =>
      [...aws.server.account.instances.values()]
        .filter(({ state }) => state !== 'shutting-down' && state !== 'terminated')
        .map(({ id, zone }) => `aws:///${zone}/${id}`),
    async stop() {
      await aws.stop();
      await kubelets.stop();
    },
  };
}

// ---------------------------------------------------------------------------------------------------

const AUDIENCE = 'sts.amazonaws.com';
const TOKENS = '/var/run/secrets/eks.amazonaws.com/serviceaccount';
const HOST = ISSUER.replace('https://', '');

const TRUST = {
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Allow' as const,
      Principal: { Federated: `arn:aws:iam::${PLACE.accountId}:oidc-provider/${HOST}` },
      Action: 'sts:AssumeRoleWithWebIdentity',
      Condition: {
        StringEquals: { [`${HOST}:sub`]: CONTROLLER_USER.username, [`${HOST}:aud`]: AUDIENCE },
      },
    },
  ],
};

function quietPool(): KubeObject {
  const pool = spotPool('default') as KubeObject;
  const disruption = { consolidationPolicy: 'WhenEmpty', consolidateAfter: 'Never' };
  return { ...pool, spec: { ...(pool['spec'] as object), disruption } };
}

function valuesFor(
  { server }: RunningAws,
  { plane }: InstallCluster,
  roleArn: string,
): InstallCloud['values'] {
  const token = identityToken(AUDIENCE, TOKENS);
  const { AWS_SHARED_CREDENTIALS_FILE: _, ...variables } = controllerEnvironment(
    { server, serverUrl: plane.url, kubeconfig: '' },
    { envFile: '', credentialsFile: '', faultHeaderFile: '' },
  );
  return {
    cloud: 'aws',
    identity: { awsRoleArn: roleArn },
    settings: {
      ...valuesOf('aws', variables),
      awsRoleArn: roleArn,
      awsWebIdentityTokenFile: token.file,
    },
    extraVolumes: [token.volume],
    controller: { extraVolumeMounts: [token.mount] },
  };
}
