export { renderOptionsDoc } from './options-doc.ts';
export { DES_ID, GOOD_ENV, resolveAzure, SUBSCRIPTION, TOKEN } from './settings.fixture.ts';
