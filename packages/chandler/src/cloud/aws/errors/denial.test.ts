import { describe, expect, test } from 'vitest';

import { AwsError } from './aws-error.ts';
import { classify } from './classify.ts';
import { denialText, readDenial } from './denial.ts';
import { validationFailure } from './validation-failure.ts';

const WHO = 'arn:aws:sts::123456789012:assumed-role/KarpenterControllerRole-dev/1768825272022703283';
const FLEET = 'arn:aws:ec2:us-west-2:123456789012:fleet/*';
const BEGIN = 'You are not authorized to perform this operation.';
const sentence = (why: string) =>
  `${BEGIN} User: ${WHO} is not authorized to perform: ec2:CreateFleet on resource: ${FLEET} ${why}. Encoded authorization failure message: aBcD_-123`;
const denied = (message: string, code = 'UnauthorizedOperation') => new AwsError({ code, message });
const SCP_ARN = 'arn:aws:organizations::1:policy/o-1/service_control_policy/p-1';

describe('a denial says who may not do what on what', () => {
  test.each([
    [
      'because no identity-based policy allows the ec2:CreateFleet action',
      { kind: 'noAllow', policy: 'identity-based policy' },
      'no identity-based policy allows it; whoever manages the IAM role of the controller has to allow ec2:CreateFleet there',
    ],
    [
      'because no permissions boundary allows the ec2:CreateFleet action',
      { kind: 'noAllow', policy: 'permissions boundary' },
      'no permissions boundary allows it; whoever manages the permissions boundary of the role has to allow ec2:CreateFleet there',
    ],
    [
      'because no service control policy allows the ec2:CreateFleet action',
      { kind: 'noAllow', policy: 'service control policy' },
      'no service control policy allows it; an administrator of the AWS organization has to allow ec2:CreateFleet there',
    ],
    [
      'because no VPC endpoint policy allows the ec2:CreateFleet action',
      { kind: 'noAllow', policy: 'VPC endpoint policy' },
      'no VPC endpoint policy allows it; whoever manages the VPC endpoint has to allow ec2:CreateFleet there',
    ],
    [
      'with an explicit deny in a service control policy',
      { kind: 'explicitDeny', policy: 'service control policy' },
      'a service control policy denies it; an administrator of the AWS organization has to change that policy, permissions of the role do not help',
    ],
    [
      `with an explicit deny in a service control policy: ${SCP_ARN}`,
      { kind: 'explicitDeny', policy: 'service control policy', policyArn: SCP_ARN },
      `the service control policy ${SCP_ARN} denies it; an administrator of the AWS organization has to change that policy, permissions of the role do not help`,
    ],
    [
      'with an explicit deny in a permissions boundary',
      { kind: 'explicitDeny', policy: 'permissions boundary' },
      'a permissions boundary denies it; whoever manages the permissions boundary of the role has to change that policy, permissions of the role do not help',
    ],
    [
      'with an explicit deny in an identity-based policy',
      { kind: 'explicitDeny', policy: 'identity-based policy' },
      'an identity-based policy denies it; whoever manages the IAM role of the controller has to change that policy, permissions of the role do not help',
    ],
  ])('%s', (why, cause, text) => {
    const { aws, denial, error } = classify(denied(sentence(why)));
    expect(denial).toEqual({ principal: WHO, action: 'ec2:CreateFleet', resource: FLEET, cause });
    expect(error.message).toMatch(
      `the role KarpenterControllerRole-dev may not call ec2:CreateFleet on ${FLEET}: ${text}: `,
    );
    // It fills a screen, and people need a tool to read it.
    expect(error.message).not.toContain('aBcD');
    expect(aws.encodedDenial).toBe('aBcD_-123');
  });

  test('in the words of IAM and SQS, and in those of other accounts', () => {
    expect(
      readDenial(
        'User: arn:aws:iam::1:user/ci is not authorized to perform: iam:GetInstanceProfile on resource: instance profile x because no identity-based policy allows the iam:GetInstanceProfile action',
      ),
    ).toMatchObject({ action: 'iam:GetInstanceProfile', resource: 'instance profile x' });
    const bare = readDenial(
      `User: ${WHO} is not authorized to perform: sqs:receivemessage on resource: arn:q`,
    );
    expect(bare).toEqual({
      principal: WHO,
      action: 'sqs:receivemessage',
      resource: 'arn:q',
      cause: { kind: 'unknown' },
    });
    expect(denialText(bare)).toMatch(/AWS names no policy; check that .* allows sqs:receivemessage/);
    expect(readDenial(BEGIN)).toEqual({ cause: { kind: 'unknown' } });
    expect(classify(denied(BEGIN)).error.message).toBe(
      `the controller is not authorized: UnauthorizedOperation: ${BEGIN}`,
    );
  });

  test('about images names them', () => {
    const { error, denial } = classify(denied('Not authorized for images: [ami-1, ami-2]', 'AuthFailure'));
    expect(denial?.cause).toEqual({ kind: 'images', images: ['ami-1', 'ami-2'] });
    expect(error.message).toMatch(
      /^the identity of the controller may not use ami-1, ami-2; ask the owner to share/,
    );
  });
});

describe('a dry run of a node class', () => {
  const check = (call: Parameters<typeof validationFailure>[0], error: AwsError, own = false) =>
    validationFailure(call, error, own);
  const noAllow = sentence('because no identity-based policy allows the ec2:CreateFleet action');

  test.each(['CreateLaunchTemplate', 'CreateFleet', 'RunInstances'] as const)(
    'without permission for %s fails with its own reason, and that is remembered',
    (call) => {
      const failure = check(
        call,
        new AwsError({ code: 'UnauthorizedOperation', message: noAllow, requestId: 'r' }),
      );
      expect(failure).toMatchObject({ reason: `${call}AuthCheckFailed`, cacheable: true });
      expect(failure?.message).toMatch(
        /^the role KarpenterControllerRole-dev may not call .* \(request r\)$/,
      );
    },
  );

  test('fails for user data that is too large', () => {
    const error = new AwsError({
      code: 'InvalidUserData.Malformed',
      message: 'User data is limited to 16384',
    });
    expect(check('RunInstances', error)).toMatchObject({
      reason: 'UserDataSizeLimitExceeded',
      cacheable: true,
    });
  });

  test('asks again about an instance profile, which someone may create', () => {
    const error = new AwsError({
      code: 'InvalidParameterValue',
      message:
        'Value (x) for parameter iamInstanceProfile.name is invalid. Invalid IAM Instance Profile name',
    });
    expect(check('RunInstances', error, true)).toMatchObject({
      reason: 'InstanceProfileNotFound',
      cacheable: false,
    });
    expect(check('RunInstances', error, false)).toBeUndefined();
  });

  test('says nothing against the class when it succeeds, or when AWS is busy', () => {
    expect(check('CreateFleet', new AwsError({ code: 'DryRunOperation', message: '' }))).toBeUndefined();
    expect(check('CreateFleet', new AwsError({ code: 'Throttling', message: '' }))).toBeUndefined();
    expect(() => validationFailure('CreateFleet', new TypeError('bug'), false)).toThrow('bug');
  });
});
