export { aClaim, handmade } from './state.fixture.ts';
