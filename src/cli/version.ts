/** The version of the package, which `test/cli/bundle.test.ts` compares with package.json. */
export const VERSION = '0.1.0'
