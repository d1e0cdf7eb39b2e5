/** All options of a controller on AWS, and the rules between them. */
import { OPERATOR_OPTIONS, type OptionRule, type OptionValues } from '../../../settings/index.ts';
import { AWS_OWN_OPTIONS } from './own-options.ts';
import { AWS_UPSTREAM_OPTIONS } from './upstream-options.ts';

export const AWS_OPTIONS = { ...AWS_UPSTREAM_OPTIONS, ...AWS_OWN_OPTIONS };

export const AWS_CONTROLLER_OPTIONS = { ...OPERATOR_OPTIONS, ...AWS_OPTIONS };

export type AwsControllerValues = OptionValues<typeof AWS_CONTROLLER_OPTIONS>;

export const AWS_RULES: readonly OptionRule[] = [
  {
    options: ['awsSecretAccessKey', 'awsAccessKeyId'],
    problem: ({ awsAccessKeyId, awsSecretAccessKey }) =>
      (awsAccessKeyId === '') === (awsSecretAccessKey === '')
        ? undefined
        : 'aws-access-key-id and aws-secret-access-key must both be set, or neither',
  },
  {
    options: ['awsSessionToken', 'awsAccessKeyId'],
    problem: ({ awsSessionToken, awsAccessKeyId }) =>
      awsSessionToken !== '' && awsAccessKeyId === '' ? 'needs aws-access-key-id' : undefined,
  },
  {
    options: ['awsWebIdentityTokenFile', 'awsRoleArn'],
    problem: ({ awsWebIdentityTokenFile: file, awsRoleArn: role, awsProfile: profile }) =>
      (file === '') === (role === '') || profile !== ''
        ? undefined
        : 'aws-role-arn and aws-web-identity-token-file must both be set, or neither',
  },
  {
    options: ['awsAccessKeyId', 'awsWebIdentityTokenFile'],
    problem: ({ awsAccessKeyId: key, awsWebIdentityTokenFile: file, awsProfile: profile }) =>
      key !== '' && file !== '' && profile === ''
        ? 'aws-access-key-id and aws-web-identity-token-file (IRSA) are two identities; set only one of them'
        : undefined,
  },
  {
    options: ['awsUseDualstackEndpoint', 'awsEndpointUrl'],
    problem: (values) =>
      values['awsEndpointUrl'] !== '' && (values['awsUseDualstackEndpoint'] || values['awsUseFipsEndpoint'])
        ? 'FIPS and dual-stack endpoints cannot be used together with aws-endpoint-url'
        : undefined,
  },
];
