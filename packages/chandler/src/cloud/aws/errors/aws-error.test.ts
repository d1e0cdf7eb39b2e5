import { describe, expect, test } from 'vitest';

import { AwsError, retryAfterMs, toAwsError } from './aws-error.ts';
import { classify } from './classify.ts';
import { clockSkewMs } from './clock-skew.ts';

/** As the SDK throws it. */
function sdkError(fields: object, message = 'said by AWS'): Error {
  return Object.assign(new Error(message), fields);
}

describe('what the SDK throws', () => {
  test('keeps code, status and request id', () => {
    const error = toAwsError(
      sdkError({
        name: 'InvalidParameterValue',
        $fault: 'client',
        $metadata: { httpStatusCode: 400, requestId: 'r-1' },
      }),
    );
    expect(error).toMatchObject({
      code: 'InvalidParameterValue',
      status: 400,
      requestId: 'r-1',
      message: 'said by AWS',
    });
    expect(toAwsError(error)).toBe(error);
  });

  test('has the code of the wire first where the class of the SDK has another name', () => {
    const error = toAwsError(
      sdkError({
        name: 'NoSuchEntityException',
        Code: 'NoSuchEntity',
        $fault: 'client',
        $metadata: { httpStatusCode: 404 },
      }),
    );
    expect(error.codes).toEqual(['NoSuchEntity', 'NoSuchEntityException']);
  });

  test('is the same error with and without the side that is at fault', () => {
    expect(new AwsError({ code: 'Client.UnauthorizedOperation', message: '' }).code).toBe(
      'UnauthorizedOperation',
    );
    expect(new AwsError({ code: 'Server.InternalError', message: '' }).code).toBe('InternalError');
  });

  test.each([
    ['a refused connection', sdkError({ code: 'ECONNREFUSED' }, 'connect ECONNREFUSED'), 'NoAnswer'],
    ['a timeout', sdkError({ name: 'TimeoutError' }, 'socket timed out'), 'NoAnswer'],
    ['a plain text', 'no idea', 'NoAnswer'],
    ['no credentials', sdkError({ name: 'CredentialsProviderError' }, 'no providers'), 'NoCredentials'],
    [
      'the page of a proxy',
      sdkError(
        { name: 'UnknownError', $fault: 'client', $metadata: { httpStatusCode: 403 } },
        'UnknownError',
      ),
      'BadAnswer',
    ],
    [
      'a body that the SDK cannot read',
      Object.assign(new SyntaxError('Unexpected token <'), {
        $response: {},
        $metadata: { httpStatusCode: 200 },
      }),
      'BadAnswer',
    ],
    [
      'a body that confuses the SDK',
      Object.assign(new TypeError('Cannot read properties of undefined'), { $response: {} }),
      'BadAnswer',
    ],
  ])('%s', (_, thrown, code) => {
    expect(toAwsError(thrown)).toMatchObject({ code });
  });

  test('says why a connection failed', () => {
    const error = new Error('request failed', { cause: new Error('getaddrinfo ENOTFOUND ec2') });
    expect(toAwsError(error).message).toBe('request failed: getaddrinfo ENOTFOUND ec2');
  });

  test('reads how long to wait', () => {
    const error = sdkError({
      name: 'Throttling',
      $fault: 'client',
      $metadata: { httpStatusCode: 400 },
      $response: { headers: { 'retry-after': '3' } },
    });
    expect(toAwsError(error).retryAfterMs).toBe(3000);
    for (const header of ['Infinity', '', '-1', 'Wed, 21 Oct 2026 07:28:00 GMT', undefined])
      expect(retryAfterMs(header), header).toBeUndefined();
  });
});

describe('secrets', () => {
  test('that AWS repeats from a signed request are not kept', () => {
    const message = `The request signature we calculated does not match. The Canonical String for this request should have been\n'POST\n/\nx-amz-security-token:IQoJb3JpZ2luX2VjEXAMPLETOKEN`;
    const { error, aws } = classify(new AwsError({ code: 'SignatureDoesNotMatch', message }));
    expect(`${error.message} ${aws.message}`).not.toContain('IQoJ');
    expect(aws.message).toBe('The request signature we calculated does not match.');
    const other = new AwsError({
      code: 'X',
      message: 'header x-amz-security-token: IQoJb3JpZ2lu was refused',
    });
    expect(other.message).toBe('header x-amz-security-token: [redacted] was refused');
  });

  test('of other kinds are not kept either', () => {
    const message = 'AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG and Authorization: Bearer abcdefgh12345678';
    expect(new AwsError({ code: 'X', message }).message).toBe(
      'AWS_SECRET_ACCESS_KEY=[redacted] and Authorization: Bearer [redacted]',
    );
  });

  test('of user data are not kept, however long', () => {
    const message = `Invalid user data: ${'QUJD'.repeat(200)}`;
    expect(new AwsError({ code: 'X', message }).message).toBe('Invalid user data: [redacted]');
  });
});

describe('a clock that is wrong', () => {
  const EXPIRED =
    'Signature expired: 20260101T000000Z is now earlier than 20260101T001000Z (20260101T001500Z - 5 min.)';
  const FUTURE =
    'Signature not yet current: 20260101T003000Z is still later than 20260101T002000Z (20260101T001500Z + 5 min.)';

  test('is named, with the direction and the amount', () => {
    expect(clockSkewMs(EXPIRED)).toBe(-15 * 60_000);
    expect(clockSkewMs(FUTURE)).toBe(15 * 60_000);
    const message = (text: string) =>
      classify(new AwsError({ code: 'SignatureDoesNotMatch', message: text })).error.message;
    expect(message(EXPIRED)).toMatch(/^the clock of the controller is 15 minutes behind that of AWS; /);
    expect(message(FUTURE)).toMatch(/^the clock of the controller is 15 minutes ahead of that of AWS; /);
  });

  test('is named without the amount where AWS gives no times', () => {
    const { error } = classify(new AwsError({ code: 'RequestExpired', message: 'Request has expired.' }));
    expect(error.message).toMatch(/^the clock of the controller is too far from that of AWS; /);
  });
});
