import type { Page } from 'playwright-core'
import { viewName } from './harness.ts'

/** A reader who has no pointer. */
export class Keyboard {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  press(key: string): Promise<void> {
    return this.page.keyboard.press(key)
  }

  type(text: string): Promise<void> {
    return this.page.keyboard.insertText(text)
  }

  /** The name of what has the focus, as assistive technology announces it. */
  async focused(): Promise<string> {
    const focus = this.page.locator(':focus')
    const name = /^- \w+ "((?:[^"\\]|\\.)*)"/.exec(await focus.ariaSnapshot())?.[1]
    // A snapshot leaves out the element that opens and closes details.
    return name ?? (await focus.getAttribute('aria-label')) ?? (await focus.textContent()) ?? ''
  }

  /** Presses Tab until something with this name has the focus. */
  async to(name: string | RegExp): Promise<void> {
    const seen: string[] = []
    for (let i = 0; i < 120; i++) {
      await this.press('Tab')
      if (!(await this.page.locator(':focus').count())) continue
      const found = await this.focused()
      if (typeof name === 'string' ? found === name : name.test(found)) return
      seen.push(found)
    }
    throw new Error(`no Tab stop ${name}: ${seen.join(', ')}`)
  }

  /** Tabs to a button and presses it. */
  async use(name: string | RegExp): Promise<void> {
    await this.to(name)
    await this.press('Enter')
  }

  /** Opens a step or a tool by its button in the navigation. */
  async openView(name: string): Promise<void> {
    for (let i = 0; i < 3; i++) {
      await this.use(viewName(name))
      if ((await this.page.locator(`#panel-${name.replace(' ', '-')}:visible`).count()) === 1)
        return
    }
    throw new Error(`${name} did not open`)
  }
}
