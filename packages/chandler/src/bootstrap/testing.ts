export { aNodeInput } from './bootstrap.fixture.ts';
