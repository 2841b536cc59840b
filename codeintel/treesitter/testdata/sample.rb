# frozen_string_literal: true

require "json"
require_relative "lib/helper"

# Things to sell.
module Shop
  VERSION = "1.2.3"
  DEFAULTS = {
    rate: 0.19,
  }.freeze

  class Error < StandardError; end

  # A thing with a price.
  class Item < Base::Record
    include Comparable

    attr_reader :name, :price
    attr_accessor :note

    LIMIT = 10

    class << self
      def build(**options)
        new(**options)
      end
    end

    def self.find(id)
      all.find { |item| item.id == id }
    end

    # Makes an item.
    def initialize(name, price: 1)
      @name = name
      if price > 0
        @price = price
      end
    end

    def <=>(other)
      price <=> other.price
    end

    def cheap?
      return true if price < 3
      [1, 2].each do |n|
        puts n
      end
      false
    end

    def name=(value)
      @name = value
    end

    def [](key) = @data[key]

    def to_sql
      <<~SQL
        def fake
        select * from items
      SQL
    end

    alias_method :label, :name

    private

    def secret; 42; end

    private def other_secret
      /end/ =~ name
    end
  end

  module Util
    module_function

    def slug(text)
      text.downcase
    end
  end
end

class Shop::Cart
  def total = items.sum(&:price)
end

def main
  puts Shop::VERSION
end

main
