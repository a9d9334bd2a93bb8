// holdfast: memory that outlives a session. `holdfast install opencode` put this here, `holdfast uninstall` removes it.
import { spawn } from "node:child_process"

const HOOK = "holdfast-hook"
const PROGRAM = "holdfast"
const PATIENCE_MS = 2000
const COMMAND_MS = 30000
const OURS = "A command of holdfast" // how the templates of our commands begin

const run = (event, payload, cwd) =>
  new Promise((resolve) => {
    let said = ""
    const done = (text) => (clearTimeout(timer), resolve(text))
    const timer = setTimeout(() => resolve(""), PATIENCE_MS)
    try {
      const hook = spawn(HOOK, ["opencode", event, "sign"], { cwd, stdio: ["pipe", "pipe", "ignore"] })
      hook.on("error", () => done(""))
      hook.on("close", () => done(said))
      hook.stdout.on("data", (chunk) => (said += chunk))
      hook.stdin.on("error", () => {})
      hook.stdin.end(JSON.stringify(payload))
    } catch {
      done("")
    }
  })

// What a hook printed: a brief as it is, or as JSON together with a line for the person.
const read = (text) => {
  if (!text.startsWith("{")) return { brief: text }
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

// Runs a command that the user typed. It is not the agent who does, so the agent's marks are left out.
const slash = (line, cwd) =>
  new Promise((resolve) => {
    let said = ""
    const { OPENCODE, OPENCODE_PID, ...env } = process.env
    const done = (text) => (clearTimeout(timer), resolve(text))
    const timer = setTimeout(() => resolve(""), COMMAND_MS)
    try {
      const program = spawn(PROGRAM, ["slash", "-"], { cwd, env, stdio: ["pipe", "pipe", "pipe"] })
      program.on("error", () => done(""))
      program.on("close", () => done(said.trim()))
      for (const stream of [program.stdout, program.stderr]) stream.on("data", (chunk) => (said += chunk))
      program.stdin.on("error", () => {})
      program.stdin.end(line)
    } catch {
      done("")
    }
  })

export const Holdfast = async ({ client, directory }) => {
  const briefs = new Map() // by session: promises of texts, the same for every call of the model
  const children = new Set() // sessions of subagents: what matters comes back as a tool's result

  const show = async (sign) => {
    try {
      if (sign) await client.tui.showToast({ body: { message: sign, variant: "info" } })
    } catch {} // no terminal to show it in
  }

  const tell = (session, event, payload) => {
    if (!session || children.has(session)) return
    const brief = run(event, payload, directory).then((text) => {
      const { brief, sign } = read(text)
      show(sign)
      return brief
    })
    briefs.set(session, [...(briefs.get(session) ?? []), brief])
    return brief
  }

  return {
    event: async ({ event }) => {
      const info = event.properties?.info
      if (event.type === "session.created" && info?.parentID) children.add(info.id)
      else if (event.type === "session.created") await tell(info?.id, event.type, [event])
      else if (event.type === "session.idle" || event.type === "session.deleted") {
        const session = event.properties?.sessionID ?? info?.id
        if (!children.has(session)) await run(event.type, [event], directory)
        if (event.type === "session.deleted") briefs.delete(session)
      }
    },
    "command.execute.before": async (input, output) => {
      const part = output.parts?.find((one) => one.type === "text" && one.text.startsWith(OURS))
      const said = part ? await slash(`/${input.command} ${input.arguments}`, directory) : ""
      const asks = said.startsWith("The user ran /memory learn")
      const heading = `The user ran /${input.command}, and holdfast has answered. Tell them what it says, no more:`
      if (said) part.text = asks ? said : `${heading}\n\n${said}`
    },
    "chat.message": async (input, output) => {
      if (!briefs.has(input.sessionID)) {
        const properties = { source: "resume", info: { id: input.sessionID } } // OpenCode does not say so itself
        await tell(input.sessionID, "session.created", [{ properties }])
      }
      await tell(input.sessionID, "chat.message", [input, output])
    },
    "tool.execute.before": async (input, output) => {
      if (children.has(input.sessionID)) return
      const { refused } = read(await run("tool.execute.before", [input, output], directory))
      if (refused) throw new Error(refused)
    },
    "tool.execute.after": async (input, output) => {
      if (children.has(input.sessionID)) return
      const { brief } = read(await run("tool.execute.after", [input, output], directory))
      if (brief && typeof output.output === "string") output.output += `\n\n${brief}`
    },
    "experimental.text.complete": async (input, output) => {
      if (!children.has(input.sessionID)) await run("experimental.text.complete", [input, output], directory)
    },
    "experimental.session.compacting": async (input) => {
      if (!children.has(input.sessionID)) await run("experimental.session.compacting", [input], directory)
    },
    "experimental.chat.system.transform": async (input, output) => {
      if (output.system[0]?.startsWith("You are a title generator")) return
      const texts = await Promise.all(briefs.get(input.sessionID) ?? [])
      for (const text of texts) if (text) output.system.push(text)
    },
  }
}
