export { aNodeInput } from './bootstrap.fixture.ts';
export { goldenScript, withVariables } from './golden-script.fixture.ts';
