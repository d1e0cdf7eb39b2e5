import { describe, expect, test } from 'vitest';
import { proxiesOf, proxyFor } from './proxy-environment.ts';

const ENV = { HTTP_PROXY: 'http://plain:3128', HTTPS_PROXY: 'http://secure:3128' };
const through = (url: string, noProxy = '', env: object = ENV) =>
  proxyFor(new URL(url), { ...env, NO_PROXY: noProxy });

describe('the proxy of the environment', () => {
  test('is chosen by the scheme of the request', () => {
    expect(through('https://management.azure.com/')).toBe('http://secure:3128');
    expect(through('http://example.com/')).toBe('http://plain:3128');
    expect(through('https://example.com/', '', { HTTP_PROXY: 'http://plain:3128' })).toBeUndefined();
    expect(through('http://example.com/', '', { HTTPS_PROXY: 'http://secure:3128' })).toBeUndefined();
    expect(proxiesOf({})).toEqual({});
  });

  test('is read from lower-case variables and without a scheme; upper case wins', () => {
    expect(proxiesOf({ https_proxy: 'proxy:8080', http_proxy: 'https://other' })).toEqual({
      https: 'http://proxy:8080',
      http: 'https://other',
    });
    expect(proxiesOf({ https_proxy: 'http://small', HTTPS_PROXY: 'http://large' })).toEqual({
      https: 'http://large',
    });
    expect(proxyFor(new URL('https://a.b'), { HTTPS_PROXY: 'http://p', no_proxy: 'b' })).toBeUndefined();
    expect(proxiesOf({ HTTPS_PROXY: 'socks5h://proxy:1080' })).toEqual({ https: 'socks5://proxy:1080' });
  });

  test('that is not a URL is reported by variable name, without its password', () => {
    expect(() => proxiesOf({ HTTPS_PROXY: 'ftp://me:hunter2@proxy' })).toThrow(
      'HTTPS_PROXY is not the address of a proxy: expected a URL such as http://proxy:3128',
    );
    expect(() => proxiesOf({ HTTP_PROXY: 'http://' })).toThrow('HTTP_PROXY is not the address');
  });

  test.each([
    'http://169.254.169.254/metadata/identity/oauth2/token',
    'http://168.63.129.16/machine',
    'http://localhost:8080/',
    'https://127.0.0.1:6443/',
    'https://[::1]:6443/',
  ])('is never used for local addresses: %s', (url) => {
    expect(through(url)).toBeUndefined();
  });

  test.each([
    ['https://management.azure.com/', 'azure.com', true],
    ['https://azure.com/', 'azure.com', true],
    ['https://notazure.com/', 'azure.com', false],
    ['https://azure.com/', '.azure.com', false],
    ['https://management.azure.com/', '.azure.com', true],
    ['https://management.azure.com/', '*.azure.com', true],
    ['https://azure.com/', '*.azure.com', false],
    ['https://management.azure.com/', ' other , MANAGEMENT.azure.com ', true],
    ['https://management.azure.com./', 'management.azure.com', true],
    ['https://management.azure.com/', 'management.azure.com:443', true],
    ['https://management.azure.com/', 'management.azure.com:8443', false],
    ['https://anything.example/', '*', true],
    ['https://10.1.2.3/', '10.0.0.0/8', true],
    ['https://11.1.2.3/', '10.0.0.0/8', false],
    ['https://name.example/', '10.0.0.0/8', false],
    ['https://10.1.2.3/', '10.1.2.3', true],
    ['https://10.1.2.30/', '10.1.2.3', false],
    ['https://10.1.2.3:6443/', '10.1.2.3:443', false],
    ['https://[fd00::7]/', 'fd00:0::7', true],
    ['https://[fd00::7]/', '[fd00::7]:443', true],
    ['https://[fd00::7]/', 'fd00::/8', true],
    ['https://10.1.2.3/', '10.0.0.0/99', false],
    ['https://10.1.2.3/', ',,', false],
  ])('%s with NO_PROXY=%s: direct is %s', (url, noProxy, isDirect) => {
    expect(through(url, noProxy)).toBe(isDirect ? undefined : 'http://secure:3128');
  });
});
