import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** The path of a Chromium: `AVMKIT_CHROMIUM`, or one that is installed. */
export function findChromium(): string | undefined {
  const { AVMKIT_CHROMIUM, PATH = '' } = process.env
  if (AVMKIT_CHROMIUM) return AVMKIT_CHROMIUM
  return PATH.split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find((path) => existsSync(path))
}

/**
 * Whether tests in a browser can run. `AVMKIT_REQUIRE_CHROMIUM` makes a missing browser a failure, so that it cannot
 * go unnoticed where the tests must run.
 */
export function hasChromium(what: string): boolean {
  const path = findChromium()
  if (path !== undefined) return true
  if (process.env.AVMKIT_REQUIRE_CHROMIUM)
    throw new Error('AVMKIT_REQUIRE_CHROMIUM is set and no Chromium was found')
  console.warn(`${what} was not tested: no Chromium found (install it or set AVMKIT_CHROMIUM)`)
  return false
}

let shared: Promise<Browser> | undefined

/** A Chromium for all files that run in this process, which ends with it. Each file has its own context. */
export function sharedBrowser(): Promise<Browser> {
  shared ??= launch()
  return shared
}

/** Starts a Chromium with an empty profile that looks for no updates. */
export function launch(args: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: findChromium()!,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...args,
    ],
  })
}

/** Starts a browser whose camera shows a video file. */
export function launchWithCamera(video: string): Promise<Browser> {
  return launch([
    '--use-fake-ui-for-media-stream',
    '--use-fake-device-for-media-stream',
    `--use-file-for-fake-video-capture=${video}`,
  ])
}
