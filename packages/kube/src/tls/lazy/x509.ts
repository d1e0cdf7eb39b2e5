/** Loaded on first use, as one namespace: a bundle gives only `default` of a CommonJS package that is imported lazily. */
// The library's dependency container needs it first.
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

export { x509 };
