/** Loaded on first use. A re-export, because a bundle gives only `default` of a CommonJS package that is imported lazily. */
export { default } from 'highs';
