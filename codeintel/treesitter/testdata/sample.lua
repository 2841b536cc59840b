-- Queues.
local json = require("json")
local util = require "lib.util"

local Queue = {}
Queue.__index = Queue

local MAX <const> = 10
VERSION = "1.0"

--- Makes a queue.
-- @param size how many fit
function Queue.new(size)
  local self = setmetatable({}, Queue)
  for i = 1, size do
    if i > 2 then self[i] = function() return "end" end end
  end
  return self
end

function Queue:push(item, ...)
  repeat
    local done = true
  until done
  while false do end
  local text = [[ function fake() ]]
  --[[ function other() ]]
end

local function helper(a, b)
  local function inner() end
  return a + b
end

Queue.pop = function(self)
  return table.remove(self, 1)
end

local on_change = function(event) end

function Queue.sub.deep(x) return x end

function main() print(#arg) end

return Queue
