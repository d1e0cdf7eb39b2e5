import { describe, expect, test } from 'vitest';
import { fromResponse, isNotFound, toArmError } from './arm-error.ts';

const said = (status: number, body: unknown) =>
  fromResponse({ status, text: typeof body === 'string' ? body : JSON.stringify(body) });

describe('what Azure says is not there', () => {
  test.each([
    ['ResourceNotFound'],
    ['NotFound'],
    ['ParentResourceNotFound'],
    ['ResourceGroupNotFound'],
    ['RoleAssignmentNotFound'],
    ['HCRP404'],
  ])('by the code %s', (code) => {
    expect(isNotFound(said(404, { error: { code, message: 'gone' } }))).toBe(true);
    expect(isNotFound(said(404, { code, message: 'gone' })), 'without the frame of ARM').toBe(true);
  });

  test.each([
    ['a page of a proxy', 404, '<html><h1>404 Not Found</h1></html>'],
    ['no body', 404, ''],
    ['JSON of somebody else', 404, { statusCode: 404, message: 'Resource not found' }],
    ['one word in JSON', 404, { error: 'Not Found' }],
    ['a subscription that it does not see', 404, { error: { code: 'SubscriptionNotFound', message: '' } }],
    ['a type that it does not know', 404, { error: { code: 'InvalidResourceType', message: '' } }],
    ['a server error', 500, { error: { code: 'NotFound', message: '' } }],
    ['a refusal about another thing', 400, { error: { code: 'ResourceNotFound', message: 'the key' } }],
  ])('is not said by %s', (_, status, body) => {
    expect(isNotFound(said(status, body))).toBe(false);
  });

  test('a 404 without an error of Azure is a bad answer', () => {
    expect(said(404, '<html>')).toMatchObject({ status: 404, code: 'BadAnswer' });
  });
});

describe('a refusal of somebody else', () => {
  test.each([
    ['a page of a proxy', '<html><h1>403 Forbidden</h1></html>'],
    ['no body', ''],
    ['JSON of somebody else', { statusCode: 403, message: 'Forbidden' }],
    ['one word in JSON', { error: 'Forbidden' }],
  ])('is a bad answer with its status: %s', (_, body) => {
    expect(said(401, body)).toMatchObject({ status: 401, code: 'BadAnswer' });
    expect(said(403, body)).toMatchObject({ status: 403, code: 'BadAnswer' });
  });

  test('is distinguished from those of Azure', () => {
    expect(said(403, { error: { code: 'AuthorizationFailed', message: '' } }).code).toBe(
      'AuthorizationFailed',
    );
    expect(said(401, { error: 'invalid_client', error_description: 'no secret' }).code).toBe(
      'invalid_client',
    );
  });
});

describe('an error that is a bug', () => {
  test('is rethrown: it says nothing about Azure', () => {
    const bug = new TypeError('AuthorizationManagementClient is not a constructor');
    expect(() => toArmError(bug)).toThrow(bug);
    expect(() => isNotFound(new ReferenceError('x is not defined'))).toThrow(ReferenceError);
  });

  test('is distinguished from a failed connection, which is a TypeError too', () => {
    const failed = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
    expect(toArmError(failed)).toMatchObject({ code: 'NoAnswer' });
  });
});
