export { aClaim, aPod, handmade } from './state.fixture.ts';
